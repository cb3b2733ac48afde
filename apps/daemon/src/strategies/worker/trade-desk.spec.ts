import { symbolTermsOf } from '../../market-data/symbol-spec';
import { BarHistory } from './bar-history';
import type { View } from '../../live/view';
import { TradeDesk } from './trade-desk';

const stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
const terms = symbolTermsOf({
  ...{ name: 'EURUSD', digits: 5, point: 0.00001, trade_tick_size: 0.00001, trade_contract_size: 100_000 },
  ...{ trade_stops_level: 0, trade_freeze_level: 0, volume_min: 0.01, volume_max: 1, volume_step: 0.01, trade_mode: 3 },
});
const account = { currency: 'USD', leverage: 100, balance: 10_000, equity: 10_050, margin: 110, freeMargin: 9_940 };
const view: View = {
  ...{ positions: [], orders: [], equity: 1_000, inFlight: 0 },
  quotes: { main: { timeMs: 0, bid: 1.1, ask: 1.10013 } },
  symbols: { main: { ...terms, marginPerLot: 1_100 } },
  accounts: { demo: account },
};

describe('what a strategy reads', () => {
  const desk = new TradeDesk({ main: stream }, new BarHistory({ main: 0 }), '', null);

  it('is the account behind a stream, or an error while that could not be read', () => {
    desk.open(view, 0, false);
    expect(desk.account('main')).toEqual(account);
    expect(desk.account(stream)).toEqual(account);
    desk.open({ ...view, accounts: {} }, 0, false);
    expect(() => desk.account('main')).toThrow('the account behind demo could not be read');
    expect(() => desk.account('other')).toThrow('no stream other; the configuration has main');
  });

  it('is the spread of a symbol, null before the first quote, and what the broker permits', () => {
    desk.open(view, 0, false);
    expect(desk.symbol('main')).toMatchObject({ spread: 0.00013, tradeMode: 'close_only' });
    desk.open({ ...view, quotes: {} }, 0, false);
    expect(desk.symbol('main').spread).toBeNull();
  });

  it('is a volume for a risk that maxVolume of the configuration permits', () => {
    const spec = { ...terms, tickValue: 1, volumeMax: 100, marginPerLot: 1_100 };
    const order = { risk: 216, stopDistance: 0.001 };
    const of = (maxVolume: number | null) => {
      desk.open({ ...view, symbols: { main: spec }, maxVolume }, 0, false);
      return desk.volumeFor('main', order);
    };
    expect([of(null), of(1), of(1.005), of(5)]).toEqual([2.16, 1, 1, 2.16]);
  });
});
