import { defineStrategy } from './index';

class Params {
  length = 20;
}

const stream = { alias: 'eur', symbol: 'EURUSD', timeframe: 'M1', broker: 'demo' };
const strategy = defineStrategy({
  version: 1,
  params: Params,
  streams: ['eur'],
  warmupBars: ({ length }) => length * 3,
  create: ({ params, streams }) => ({
    onBar: (_bar, trade) => trade.log(`${streams.eur.symbol} ${params.length}`),
  }),
});

describe('defineStrategy', () => {
  it('asks for as many warm-up bars as the parameters call for', () => {
    expect(strategy.warmupBars(Object.assign(new Params(), { length: 7 }))).toBe(21);
  });

  it('asks for none when the strategy names none', () => {
    const idle = defineStrategy({ version: 1, params: Params, create: () => ({}) });
    expect(idle.warmupBars(new Params())).toBe(0);
  });

  it('creates handlers only with every stream it names', () => {
    expect(strategy.create({ params: new Params(), streams: { eur: stream } }).onBar).toBeDefined();
    expect(() => strategy.create({ params: new Params(), streams: {} })).toThrow('no stream is configured for eur');
  });

  it('refuses parameters that its class never checked', () => {
    expect(() => strategy.create({ params: { length: 1 }, streams: { eur: stream } })).toThrow('no instance');
  });
});
