import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StateStore } from '../state/state-store';
import { blankRecord, type IntentRecord } from '../core/records';
import { at, bid, ComparedGateway, spread } from '../testing/compared-gateway';
import { owned } from '../testing/fleet-rig';

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

/** Buys with the first bar. */
const everyBar = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 1,
  params: class {},
  create: () => ({ onBar: (bar, trade) => void (trade.position('main') ?? trade.buy('main', { volume: 0.1 })) }),
});
`;

const document = {
  strategies: [
    { name: 'clock', module: './clock.ts', magic: 41, capital: 10_000, streams: { main: 'demo:EURUSD@M1' } },
    { name: 'slow', module: './every-bar.ts', magic: 42, capital: 10_000, streams: { main: 'demo:EURUSD@H4' } },
  ],
};

describe('daemon compare NAME', () => {
  let days: ComparedGateway;
  beforeAll(async () => {
    days = await ComparedGateway.start(document, { 'clock.ts': clock, 'every-bar.ts': everyBar });
  });
  afterAll(() => days.stop());

  it('divides the difference of the results by causes, to the cent', async () => {
    const position = days.traded(121, 131, [bid(121) + spread + 0.0003, bid(131)], 800);
    // At the fill of the entry the market was one pip higher, and the fill two pips above that.
    days.gateway.ticks.push({ time_utc: at(121, 700), bid: bid(121) + 0.0001, ask: bid(121) + spread + 0.0001 });
    days.gateway.ticks.push({ time_utc: at(131, 700), bid: bid(131), ask: bid(131) + spread });
    const refused: IntentRecord = {
      ...{
        key: 'k1',
        strategy: 'clock',
        broker: 'demo',
        intentId: 'i2',
        stream: 'main',
        symbol: 'EURUSD',
        ticket: null,
      },
      ...{ call: { method: 'POST', path: '/order', body: { type: 'BUY' } }, isEntry: true },
      ...{ createdAtMs: Date.parse(at(141)), state: 'rejected', outcome: 'broker_rejected: NO_MONEY' },
    };
    mkdirSync(join(days.stateDir('state'), 'logs'), { recursive: true });
    writeFileSync(
      join(days.stateDir('state'), 'logs', 'clock.log'),
      `${at(0).replace('Z', '000Z')} INFO running {"version":7}\n${at(161).replace('Z', '000Z')} WARNING an intent was denied {"intent":"i3","reason":"stale_bar","barLateMs":70000}\n`,
    );
    const store = StateStore.open(days.stateDir('state'));
    const tickets = [owned('demo', position)('clock')];
    await store.write({ strategy: blankRecord('clock'), tickets, intents: [refused] });
    await store.close();

    const body = await days.comparedBody('clock', 'state');
    expect(body).toMatchObject({ live: { trades: 1, net: -1.1 }, backtest: { trades: 3 } });
    const amounts = Object.fromEntries(body.causes.map(({ cause, amount }) => [cause, amount]));
    const [perTrade = 0] = body.pairs.map(({ backtest }) => backtest.net);
    expect(amounts).toEqual({
      'entry: the market moved before the fill': -0.1,
      'entry: fill against the quote of that moment': -0.2,
      commission: -0.7,
      'only in the backtest: rejected': -perTrade,
      'only in the backtest: late bar': -perTrade,
    });
    expect(body.causes.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(body.difference, 8);
    expect(body.onlyBacktest.map(({ detail }) => detail)).toEqual(['broker_rejected: NO_MONEY', 'stale_bar']);

    const text = await days.compared('clock', 'state', '--commission', '3.5');
    expect(text).toMatch(/^The backtest ran version 7 of the file as it is now, .* over the gateway's bars\./m);
    expect(text).not.toMatch(/^commission /m);
    expect(text).toMatch(/^1 trade is in both, 0 only live, 2 only in the backtest$/m);
    expect(text).toContain('(late bar: stale_bar)');
  });

  it("makes long bars by the broker's clock", async () => {
    days.clear();
    const slow = () => days.comparedBody('slow', 'none', '--from', '2024-01-02T02:30', '--to', '2024-01-02T03:30');
    // An hour ahead of UTC, its bars of four hours close at 03:00 UTC; on Athens time, at 02:00 and 06:00.
    Object.assign(days.gateway.tick, { time_msc: Date.parse(at(240)) + 3_600_000 });
    const ahead = await slow();
    expect(ahead.notes[0]).toContain('Its broker: on Etc/GMT-1 time; ');
    expect(ahead.backtest.trades).toBe(1);
    Object.assign(days.gateway.tick, { time_msc: 0 });
    const unknown = await slow();
    expect(unknown.notes[0]).toContain('on Europe/Athens time, because that of the gateway is not known');
    expect(unknown.backtest.trades).toBe(0);
  });

  it('is refused for what a backtest cannot replay', async () => {
    await expect(days.compared('clock', 'state', '--ticks', '--nonsense')).rejects.toThrow('unknown flag --nonsense');
    days.gateway.always = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
    await expect(days.compared('clock', 'state')).rejects.toThrow('away');
  });
});
