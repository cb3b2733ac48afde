import { Retcode } from '@libs/terminal-client';
import { parseTradingTerms } from '../symbols/trading-terms';
import { RunningSimulator } from '../testing/running-simulator';

const quotes = [[0, 1.1, 1.1001]] as const;

describe('terms of a symbol that change while its market runs', () => {
  it('show in its record, hold for the next order, and leave other simulators alone', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    const other = await RunningSimulator.scripted(quotes);
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.DONE);
    sim.simulator.setSymbol('EURUSD', { volume_min: 0.5, trade_stops_level: 50 });
    expect(await sim.client.symbolInfo('EURUSD')).toMatchObject({ volume_min: 0.5, trade_stops_level: 50 });
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.INVALID_VOLUME);
    expect((await sim.buy(0.5, { sl: 1.0999 })).retcode).toBe(Retcode.INVALID_STOPS);
    expect(await other.client.symbolInfo('EURUSD')).toMatchObject({ volume_min: 0.01 });
  });

  it('may end trading', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    sim.simulator.setSymbol('EURUSD', { trade_mode: 0 });
    expect((await sim.buy(0.1)).retcode).toBe(Retcode.TRADE_DISABLED);
  });

  it('are refused for an unknown symbol, a fixed field, and a value that is not a number', async () => {
    const sim = await RunningSimulator.scripted(quotes);
    expect(() => sim.simulator.setSymbol('NOSUCH', {})).toThrow('there is no symbol NOSUCH');
    expect(() => parseTradingTerms({ digits: 3 })).toThrow('digits cannot be changed');
    expect(() => parseTradingTerms({ volume_min: '1' })).toThrow('volume_min needs a number');
  });
});
