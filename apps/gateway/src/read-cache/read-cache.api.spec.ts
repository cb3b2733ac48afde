import { VirtualClock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { LastErrorCode } from '@libs/terminal-client';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { ServerTime } from '../server-time/server-time';
import { TerminalSession } from '../terminal-session/terminal-session';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { ReadCache } from './read-cache';

interface Row {
  readonly [field: string]: unknown;
  readonly ticket: number;
  readonly price_current: number;
  readonly profit: number;
}

/** Time stands still unless a test advances it, so each change is the only one. */
describe('a read of the account', () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
  let gateway: GatewayUnderTest;

  beforeEach(async () => {
    gateway = await gatewayUnderTest({ clock, env: { TERMINAL_SERVER_UTC_OFFSET_SECONDS: '7200' } });
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  let keys = 0;
  const send = async (url: string, payload: object, key = `key-${keys++}`): Promise<number> => {
    const answer = await gateway.call({ method: 'POST', url, payload, headers: { 'idempotency-key': key } });
    return answer.json<{ result?: { order?: number } }>().result?.order ?? 0;
  };
  const buy = (fields: object = {}, key?: string) =>
    send('/order', { symbol: 'EURUSD', type: 'BUY', volume: 0.1, ...fields }, key);
  const rows = async (query = ''): Promise<Row[]> =>
    (await gateway.call(`/get_positions${query}`)).json<{ data: Row[] }>().data;
  const account = async () => (await gateway.call('/account')).json<{ balance: number; profit: number }>();
  const calls = async (method: string): Promise<number> => {
    const series = new RegExp(`^terminal_call_duration_seconds_count\\{[^}]*method="${method}"[^}]*\\} (\\d+)$`, 'm');
    return Number(series.exec((await gateway.call('/metrics')).payload)?.[1] ?? 0);
  };

  it('is made once while nothing changes', async () => {
    await buy();
    const [list, record] = [await rows(), await account()];
    const before = [await calls('positionsGet'), await calls('accountInfo')];
    for (let read = 0; read < 5; read++) expect([await rows(), await account()]).toEqual([list, record]);
    expect([await calls('positionsGet'), await calls('accountInfo')]).toEqual(before);
  });

  it('shows the prices of the moment', async () => {
    await buy();
    for (let step = 0; step < 20; step++) {
      await rows();
      clock.advanceSync(1_500);
      const tick = (await gateway.call('/symbol_info_tick/EURUSD')).json<{ bid: number }>();
      const [position] = await rows();
      expect(position?.price_current).toBe(tick.bid);
      expect((await account()).profit).toBe(position?.profit);
    }
  });

  it('shows the prices of the moment after quotes stood still', async () => {
    await buy();
    await rows();
    gateway.simulator.faults.set({ kind: 'frozen-quotes' });
    clock.advanceSync(60_000);
    gateway.simulator.faults.clear();
    const tick = (await gateway.call('/symbol_info_tick/EURUSD')).json<{ bid: number }>();
    expect(await rows()).toMatchObject([{ price_current: tick.bid }]);
  });

  it('shows a position that was opened, changed and closed at the same prices', async () => {
    expect(await rows()).toEqual([]);
    const { balance } = await account();
    const ticket = await buy({ magic: 7 });
    expect(await rows()).toMatchObject([{ ticket, sl: 0 }]);
    expect((await account()).profit).toBeLessThan(0);
    await send('/modify_sl_tp', { position: ticket, sl: 0.5 });
    expect(await rows()).toMatchObject([{ ticket, sl: 0.5 }]);
    await send('/close_position', { position: ticket });
    expect(await rows()).toEqual([]);
    expect(await account()).toMatchObject({ profit: 0 });
    expect((await account()).balance).toBeLessThan(balance);
  });

  it('differs by its query', async () => {
    const [seven, eight] = [await buy({ magic: 7 }), await buy({ magic: 8 })];
    for (let read = 0; read < 2; read++) {
      expect((await rows('?magic=7')).map(({ ticket }) => ticket)).toEqual([seven]);
      expect((await rows('?magic=8')).map(({ ticket }) => ticket)).toEqual([eight]);
      expect((await gateway.call('/get_positions?magic=x')).statusCode).toBe(400);
    }
  });

  it('shows the key of a request once its outcome is written', async () => {
    const sent = buy({}, 'my-key');
    let list = await rows();
    while (list.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      list = await rows();
    }
    await sent;
    expect(await rows()).toMatchObject([{ client_order_id: 'my-key' }]);
  });

  it('fails while the terminal does not answer, even if nothing changed', async () => {
    await buy();
    await rows();
    gateway.simulator.faults.set({ kind: 'failed-reads', methods: ['positionsGet', 'accountInfo'] });
    expect((await gateway.call('/get_positions')).statusCode).toBe(503);
    expect((await gateway.call('/account')).statusCode).toBe(503);
    gateway.simulator.faults.clear();
    expect((await gateway.call('/get_positions')).statusCode).toBe(200);
  });

  it('is not kept if a fault began during it', async () => {
    const cache = gateway.app.get(ReadCache);
    const faulty = await cache.body('account', async () => {
      gateway.simulator.faults.set({ kind: 'slippage', points: 1 });
      return Promise.resolve({ read: 1 });
    });
    expect(faulty).toBe('{"read":1}');
    gateway.simulator.faults.clear();
    expect(await cache.body('account', () => Promise.resolve({ read: 2 }))).toBe('{"read":2}');
  });

  it('fails while a look has shown something that nothing explains, although the terminal reported no change', async () => {
    const ticket = await buy();
    await gateway.app.get(AccountEvidence).require();
    await rows();
    await account();
    const before = await calls('historyDealsGet');
    const evidence = gateway.app.get(AccountEvidence);
    const missing = { kind: 'position_missing', spoils: 'positions', ticket, symbol: 'EURUSD', message: 'm' } as const;
    evidence.settle(evidence.session, gateway.app.get(AccountEvidence).account, [missing]);
    for (const url of ['/get_positions', '/account']) expect((await gateway.call(url)).statusCode).toBe(503);
    evidence.settle(evidence.session, evidence.account, []);
    expect([await rows(), await account()]).toMatchObject([[{ ticket }], { balance: 10_000 }]);
    expect(await calls('historyDealsGet')).toBe(before);
  });

  it('fails while there is no session', async () => {
    await buy();
    await rows();
    await account();
    const cache = gateway.app.get(ReadCache);
    const unread = () => Promise.reject(new Error('this is kept'));
    await expect(cache.body('account', unread)).resolves.toContain('"login"');
    // The terminal itself goes on, and reports no change.
    gateway.app.get(TerminalSession).reportFailure({ code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'lost' });
    await expect(cache.body('account', unread)).rejects.toThrow(ApiError);
  });

  it('is not the one of the account before', async () => {
    await account();
    gateway.simulator.faults.set({ kind: 'other-account', login: 555 });
    gateway.simulator.faults.clear();
    const answer = await gateway.call('/account');
    expect(answer.json<object>()).toMatchObject({ error_type: 'terminal_unavailable' });
  });
});

describe('a read of the account while the offset is derived', () => {
  it('shows no UTC time once the offset is dropped', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10, 30, 20));
    const gateway = await gatewayUnderTest({ clock });
    await clock.advance(30_000);
    await gateway.call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', type: 'BUY', volume: 0.1 } });
    const time = async () =>
      (await gateway.call('/get_positions')).json<{ data: { time_utc: string | null }[] }>().data[0]?.time_utc;
    await gateway.call('/symbol_info_tick/EURUSD');
    expect(await time()).toEqual(expect.stringContaining('2026-01-07T10:30:'));
    gateway.app.get(ServerTime).connected('Another-Server');
    expect(await time()).toBeNull();
    expect((await gateway.call('/symbol_info_tick/EURUSD')).json()).toMatchObject({ time_utc: null });
    await gateway.stop();
    removeFolder(gateway.folder);
  });
});
