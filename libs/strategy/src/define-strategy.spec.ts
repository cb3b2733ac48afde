import { defineStrategy, type StrategyDefinition } from './index';

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
    expect(() => strategy.create({ params: { length: 1 }, streams: { eur: stream } })).toThrow('not an instance');
  });

  it.each([
    [{ version: '1' }, 'version must be an integer, not 1'],
    [{ params: undefined }, 'params must be a class'],
    [{ create: {} }, 'create must be a function'],
    [{ state: 7 }, 'state must be an object such as { version: 1, initial: { losses: 0 } }'],
    [{ state: { version: 1 } }, 'state must be an object such as'],
    [{ state: { version: 1.5, initial: {} } }, 'state.version must be an integer, not 1.5'],
    [{ state: { version: 1, initial: {}, migrate: {} } }, 'state.migrate must be a function'],
  ])('refuses a definition that plain JavaScript let through: %j', (wrong, problem) => {
    const definition = { version: 1, params: Params, create: () => ({}), ...wrong } as StrategyDefinition<Params>;
    expect(() => defineStrategy(definition)).toThrow(problem);
  });
});
