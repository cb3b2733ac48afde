import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StateStore } from '../state/state-store';
import { blankRecord, type IntentRecord } from '../core/records';
import { at, bid, ComparedGateway, spread } from '../testing/compared-gateway';

/** Buys at 2:01, 2:21 and 2:41, or sells four minutes later, and closes after ten minutes. */
const clock = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 7,
  params: class { side = 'buy'; after = 0; },
  warmupBars: () => 5,
  create: ({ params: { side, after } }) => ({
    onBar: (bar, trade) => {
      const minute = new Date(bar.timeMs).getUTCMinutes() + 1 - after;
      const [open] = trade.positions();
      if (open && minute % 20 === 11) trade.close(open);
      if (!open && minute % 20 === 1) trade[side]('main', { volume: 0.1 });
    },
  }),
});
`;

const child = { weight: 0.5, module: './clock.ts' };
const document = {
  portfolios: [
    {
      ...{ name: 'book', capital: 1_000, risk: { maxDailyLoss: 0.25 } },
      children: [
        { ...child, alias: 'up', magic: 51, streams: { main: 'demo:EURUSD@M1' } },
        { ...child, alias: 'down', magic: 52, streams: { main: 'demo:GBPUSD@M1' }, params: { side: 'sell', after: 4 } },
      ],
    },
  ],
};

describe('daemon compare PORTFOLIO', () => {
  let days: ComparedGateway;
  beforeAll(async () => {
    days = await ComparedGateway.start(document, { 'clock.ts': clock });
  });
  afterAll(() => days.stop());

  it('runs a portfolio as a whole, under its shared limits, and explains each of its strategies', async () => {
    days.clear();
    for (const opened of [121, 141, 161])
      days.traded(opened, opened + 10, [bid(opened) + spread, bid(opened)], 800, 51);
    const stateDir = days.stateDir('book-state');
    mkdirSync(join(stateDir, 'logs'), { recursive: true });
    writeFileSync(
      join(stateDir, 'logs', 'book~down.log'),
      `${at(0).replace('Z', '000Z')} ERROR halted {"kind":"persistent","reason":"by the operator","atMs":0}\n`,
    );
    const ofTheOther: IntentRecord = {
      ...{ key: 'k1', strategy: 'book/up', broker: 'demo', intentId: 'i1', stream: 'main', symbol: 'GBPUSD' },
      ...{ ticket: null, call: { method: 'POST', path: '/order', body: { type: 'SELL' } }, isEntry: true },
      ...{ createdAtMs: Date.parse(at(125)), state: 'rejected', outcome: 'broker_rejected: NO_MONEY' },
    };
    const store = StateStore.open(stateDir);
    await store.write({ strategy: blankRecord('book/up'), tickets: [], intents: [ofTheOther] });
    await store.close();

    const body = await days.comparedBody('book', 'book-state');
    const limit = 'halted: portfolio book: daily loss of 0.30 reached maxDailyLoss 0.25';
    expect(body.strategies).toEqual([
      {
        ...{ name: 'book/up', live: { trades: 3, net: -2.4 }, backtest: { trades: 2, net: -0.2 }, difference: -2.2 },
        causes: [
          { cause: 'commission', trades: 2, amount: -1.4 },
          { cause: 'only live: the backtest denied it', trades: 1, amount: -0.8 },
        ],
      },
      {
        ...{ name: 'book/down', live: { trades: 0, net: 0 }, backtest: { trades: 1, net: -0.1 }, difference: 0.1 },
        causes: [{ cause: 'only in the backtest: halted', trades: 1, amount: 0.1 }],
      },
    ]);
    expect(body).toMatchObject({
      live: { trades: 3, net: -2.4 },
      backtest: { trades: 3, net: -0.3 },
      difference: -2.1,
    });
    expect(body.causes.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(-2.1, 8);
    expect(body.onlyLive.map(({ detail }) => detail)).toEqual([limit]);

    const text = await days.compared('book', 'book-state');
    expect(text).toContain('The backtest halted the portfolio at 2024-01-02 02:21: daily loss of 0.30 reached');
    expect(text).toMatch(/^book\/up +3 +-2\.40 +2 +-0\.20 +-2\.20$/m);
    expect(text).toMatch(/^book\/down +only in the backtest: halted +1 +0\.10$/m);
    expect(text).toMatch(/^ {2}2024-01-02 02:41 book\/up buy EURUSD, /m);
  });
});
