import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderType, type SendOutcome, TradeAction, TradeReason, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { RunningSimulator, testOptions } from '../testing/running-simulator';
import { Simulator } from '../simulator';
import { VirtualClock } from '@libs/clock';

const quotes = [
  [0, 1.1, 1.1001],
  [60_000, 1.101, 1.1011],
  [120_000, 1.089, 1.0891],
  [180_000, 1.1, 1.1001],
] as const;

const linkOf = (fd: string): string | null => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
};

describe('the state file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'simulator-state-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (startMs?: number): Promise<RunningSimulator> => {
    // The script counts from the start of the market, wherever the clock stands at a later start.
    const shift = startMs === undefined ? 0 : startMs - Date.UTC(2024, 4, 14, 10);
    const EURUSD = quotes.map(([after, bid, ask]) => [after - shift, bid, ask] as const);
    return RunningSimulator.start(
      { feed: { kind: 'scripted', quotes: { EURUSD } }, stateFile: join(folder, 'state') },
      startMs,
    );
  };
  const everything = async ({ client }: RunningSimulator): Promise<unknown> => ({
    account: await client.accountInfo(),
    positions: await client.positionsGet(),
    orders: await client.ordersGet(),
    deals: await client.historyDealsGet({ from: 0, to: 1e11 }),
    history: await client.historyOrdersGet({ from: 0, to: 1e11 }),
  });

  it('restores account, orders, positions and history after a restart, and continues with new tickets', async () => {
    const first = await start();
    await first.buy(0.3, { magic: 5 });
    await first.close(await first.position(), 0.1);
    const { order } = await first.place(OrderType.BUY_LIMIT, 1.05);
    const before = await everything(first);
    await first.simulator.stop();

    const second = await start();
    expect(await everything(second)).toEqual(before);
    expect((await second.buy(0.1)).order).toBeGreaterThan(order);
  });

  it('has what was answered even when the process ends without a word', async () => {
    const first = await start();
    const { order } = await first.buy(0.1);
    const second = await start();
    expect(await second.position()).toMatchObject({ ticket: order });
  });

  it('drops a last line that a crash cut short, and refuses a broken one before it', async () => {
    const path = join(folder, 'state');
    const first = await start();
    await first.buy(0.1);
    const { length } = readFileSync(path);
    await first.buy(0.2);
    truncateSync(path, length + 25);
    const second = await start();
    expect(await second.position()).toMatchObject({ volume: 0.1 });

    appendFileSync(path, '{"half":\n');
    await expect(start()).rejects.toThrow('line 2 of the state file is not JSON');
  });

  it('lets happen on the next start what the time between did', async () => {
    const first = await start();
    await first.buy(0.1, { sl: 1.09 });
    await first.simulator.stop();
    const later = await start(Date.UTC(2024, 4, 14, 10, 10));
    expect(await later.client.positionsGet()).toEqual([]);
    const [, exit] = await later.deals();
    expect(exit).toMatchObject({ reason: TradeReason.SL, price: 1.089, comment: '[sl 1.09000]' });
    expect(exit?.time_msc).toBe(Date.UTC(2024, 4, 14, 13, 2));
  });

  it('once it cannot be written, leaves a send unknown, refuses the next, and allows reads', async () => {
    const sim = await start();
    const descriptor = readdirSync('/proc/self/fd').find((fd) => linkOf(fd) === join(folder, 'state'));
    closeSync(Number(descriptor));
    const send = (): Promise<SendOutcome> =>
      sim.client.orderSend(
        sealRequest(
          'x',
          tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1 }),
        ),
      );
    expect(await send()).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('cannot be written') });
    expect(await send()).toMatchObject({ kind: 'refused' });
    expect(await sim.client.positionsGet()).toHaveLength(1);
  });

  it('refuses the books of another account or another feed', async () => {
    await (await start()).simulator.stop();
    const feed = { kind: 'scripted', quotes: { EURUSD: quotes } } as const;
    const other = testOptions({ stateFile: join(folder, 'state'), feed, account: { login: 7 } });
    await expect(new Simulator(other, new VirtualClock()).start()).rejects.toThrow('another login');
    const generated = testOptions({ stateFile: join(folder, 'state') });
    await expect(new Simulator(generated, new VirtualClock()).start()).rejects.toThrow('another feed');
    writeFileSync(join(folder, 'state'), '');
    await expect(start()).rejects.toThrow(`the state file ${join(folder, 'state')} holds no complete line: restore it`);
  });
});
