import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { positionsText, statusText } from './ask.commands';
import { isReported, openOf, untilFlat } from './flatten.command';

const nowMs = Date.UTC(2026, 0, 5, 12);
const row = {
  ...{
    name: 'trend',
    state: 'running',
    haltReason: null,
    problem: null,
    equity: 10_000,
    realized: -7,
    unrealized: 0.5,
  },
  ...{ positions: [{}], trades: 2, missedBars: 0, accountAsOf: '2026-01-05T11:59:58.000Z' },
};

/** The cells of the row under its headings. */
function cellsOf(changes: object): Record<string, string> {
  const [headings = '', cells = ''] = statusText([{ ...row, ...changes }], nowMs).split('\n');
  const names = headings.split(/ {2,}/);
  const values = cells.split(/ {2,}/);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

describe('the table of daemon status', () => {
  it('has amounts of one form, deals, and the age of the account', () => {
    expect(cellsOf({})).toEqual({
      ...{ NAME: 'trend', STATE: 'running', REASON: '-', EQUITY: '10000.00', READ: '2s ago', REALIZED: '-7.00' },
      ...{ UNREALIZED: '0.50', POSITIONS: '1', DEALS: '2', 'MISSED BARS': '0' },
    });
  });

  it('has amounts with the decimals of the currency', () => {
    const yen = { EQUITY: '10000', REALIZED: '-7', UNREALIZED: '250' };
    expect(cellsOf({ currencyDigits: 0, unrealized: 250 })).toMatchObject(yen);
    expect(cellsOf({ currencyDigits: 3 })).toMatchObject({ EQUITY: '10000.000', UNREALIZED: '0.500' });
  });

  it('shows a halt as the state, whatever its reason is called', () => {
    const halted = { state: 'halted', haltReason: 'running' };
    expect(cellsOf(halted)).toMatchObject({ STATE: 'halted', REASON: 'running' });
    expect(cellsOf({ state: 'failed', problem: 'lunch' })).toMatchObject({ STATE: 'failed', REASON: 'lunch' });
  });

  it('shows how old the equity of a gateway is that is away, and none that was never read', () => {
    expect(cellsOf({ accountAsOf: '2026-01-05T11:30:00.000Z' })).toMatchObject({
      EQUITY: '10000.00',
      READ: '30m 00s ago',
    });
    expect(cellsOf({ accountAsOf: null, equity: null })).toMatchObject({ EQUITY: '-', READ: '-' });
  });
});

describe('the table of daemon positions', () => {
  const open = {
    ...{ strategy: 'trend', broker: 'demo', ticket: 7, symbol: 'EURUSD', digits: 5, side: 'buy', volume: 0.1 + 0.2 },
    ...{ avgPrice: 1.1, sl: 1, tp: null, trail: 0.0005, unrealized: -0.7, openedAt: '2026-01-05T11:00:00.000Z' },
  };

  it('has each position with its side, its levels and its trailing stop, prices with the digits of the symbol', () => {
    const unseen = {
      ...open,
      ticket: 8,
      digits: null,
      avgPrice: null,
      sl: null,
      trail: null,
      unrealized: null,
      openedAt: null,
    };
    expect(
      positionsText([{ positions: [open, unseen] }])
        .split('\n')
        .map((line) => line.split(/ {2,}/).join('|')),
    ).toEqual([
      'STRATEGY|GATEWAY|TICKET|SYMBOL|SIDE|VOLUME|OPEN|SL|TP|TRAIL|UNREALIZED|SINCE',
      'trend|demo|7|EURUSD|buy|0.3|1.10000|1.00000|-|0.00050|-0.70|2026-01-05T11:00:00.000Z',
      'trend|demo|8|EURUSD|buy|0.3|-|-|-|-|-|-',
    ]);
  });

  it('has amounts with the decimals of the currency', () => {
    const amountOf = (currencyDigits: number | null): string =>
      positionsText([{ currencyDigits, positions: [{ ...open, unrealized: -245 }] }])
        .split(/ {2,}/)
        .at(-2) ?? '';
    expect([0, 2, 3, null].map(amountOf)).toEqual(['-245', '-245.00', '-245.000', '-245.00']);
  });

  it('says that there are none', () => {
    expect(positionsText([{ positions: [] }])).toBe('no open positions');
  });
});

describe('what keeps flatten from saying that a strategy is flat', () => {
  const since = '2026-01-05T12:00:00.000Z';
  const flat = {
    ...{ positions: [], pendingOrders: [], orders: { inFlight: 0 } },
    ...{ accountAsOf: '2026-01-05T12:00:01.000Z', accounts: [{ gateway: 'demo', reason: null }] },
  };

  it('is nothing if an account without its rows was read since and is explained', () => {
    expect(openOf(flat, since)).toEqual([]);
  });

  it('is an account that is not explained, or was not read', () => {
    const reason = 'account_not_explained: position 5 is not shown; no deal has closed it';
    expect(openOf({ ...flat, accounts: [{ gateway: 'demo', reason }] }, since)).toEqual([
      `the account of demo: ${reason}`,
    ]);
    expect(openOf({ ...flat, accountAsOf: since }, '2026-01-05T12:00:02.000Z')).toEqual([
      'the account could not be read since',
    ]);
  });
});

/** What the wait of flatten did. */
interface Waited {
  readonly code: number;
  readonly asked: readonly string[];
  readonly said: readonly string[];
}

describe('what flatten waits for, so that the status of the accounts shows no request in flight', () => {
  const since = '2026-01-05T12:00:00.000Z';
  const account = (asOf: string | null) => ({ name: 'demo', account: { asOf } });

  it('is an attribution of each account of the strategy since then', () => {
    expect(isReported({ gateways: [account('2026-01-05T12:00:00.500Z')] }, ['demo'], since)).toBe(true);
    expect(isReported({ gateways: [account('2026-01-05T11:59:59.500Z')] }, ['demo'], since)).toBe(false);
    expect(isReported({ gateways: [account(null)] }, ['demo'], since)).toBe(false);
    expect(isReported({ gateways: [{ name: 'demo', account: null }] }, ['demo'], since)).toBe(false);
    expect(isReported({ gateways: [account(null)] }, ['other'], since)).toBe(true);
  });

  /** Runs the wait of flatten before a daemon that gives these answers in turn, the last one from then on. */
  const waited = async (waitMs: number, statuses: readonly object[], healths: readonly object[]): Promise<Waited> => {
    const answers = { status: [...statuses], health: [...healths] };
    const [asked, said]: [string[], string[]] = [[], []];
    const port = createServer(({ url }, response) => {
      asked.push(url ?? '');
      const left = url === '/health' ? answers.health : answers.status;
      response.end(JSON.stringify(left.length > 1 ? left.shift() : left[0]));
    });
    await once(port.listen(0, '127.0.0.1'), 'listening');
    const folder = mkdtempSync(join(tmpdir(), 'flatten-'));
    writeFileSync(join(folder, 'control.port'), String((port.address() as AddressInfo).port));
    const note = (text: unknown): boolean => said.push(`${String(text)} after ${asked.length}`) > 0;
    const prints = [process.stdout, process.stderr].map((to) => jest.spyOn(to, 'write').mockImplementation(note));
    try {
      return { code: await untilFlat('trend', since, waitMs, { 'state-dir': folder }), asked, said };
    } finally {
      for (const print of prints) print.mockRestore();
      port.close();
      rmSync(folder, { recursive: true });
    }
  };
  const later = '2999-01-01T00:00:00.000Z';
  const reported = { gateways: [account(later)] };
  const flat = {
    ...{ positions: [], pendingOrders: [], orders: { inFlight: 0 } },
    ...{ accountAsOf: later, accounts: [{ gateway: 'demo', reason: null }] },
  };

  it('comes before it says that the strategy is flat', async () => {
    const early = { gateways: [account('2026-01-05T12:00:00.500Z')] };
    const { code, asked, said } = await waited(1_000, [flat], [early, reported]);
    expect([code, asked]).toEqual([0, ['/status/trend', '/health', '/health']]);
    expect(said).toEqual([expect.stringMatching(/trend is flat\n after 3$/)]);
  });

  it('is that nothing is open any more, by an account that was read after the last request', async () => {
    const row = { ticket: 5, symbol: 'EURUSD', broker: 'demo' };
    const open = { ...flat, positions: [row] };
    const readBefore = { ...flat, accountAsOf: '2026-01-05T12:00:01.000Z' };
    const { code, asked } = await waited(60_000, [open, readBefore, flat], [reported]);
    expect([code, asked]).toEqual([0, [...Array<string>(3).fill('/status/trend'), '/health']]);
  });

  it('ends with what keeps it from being flat when the time is over', async () => {
    const unexplained = { ...flat, accounts: [{ gateway: 'demo', reason: 'account_not_explained: position 5' }] };
    const { code, asked, said } = await waited(250, [unexplained], [reported]);
    expect([code, asked]).toEqual([1, ['/status/trend', '/status/trend']]);
    expect(said).toEqual([expect.stringMatching(/^not flat yet, .*the account of demo: account_not_explained/)]);
  });
});
