import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPrices } from './check-prices';
import { PriceStore, type PriceOrigin } from './price-store';

const startMs = Date.UTC(2024, 0, 9, 12);
const origin: PriceOrigin = {
  server: 'Demo',
  login: 7,
  symbol: 'EURUSD',
  kind: 'bars',
  digits: 5,
  asks: 'from spread',
};
const folder = () => mkdtempSync(join(tmpdir(), 'store-'));
const cells = ['1.1', '1.2', '1', '1.1'];
const bars = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ timeMs: startMs + (from + index) * 60_000, cells }));

describe('the store of a symbol', () => {
  it('holds files that a backtest takes', () => {
    const store = PriceStore.open(folder(), origin);
    store.append([bars(0, 3), bars(0, 3)]);
    expect(checkPrices(store.files)).toMatchObject([
      { file: 'eurusd-m1-bid.csv', symbol: 'EURUSD', rows: 3, isSound: true },
      { file: 'eurusd-m1-ask-from-spread.csv', symbol: 'EURUSD', rows: 3, isSound: true },
    ]);
    expect([store.firstMs, store.lastMs]).toEqual([startMs, startMs + 120_000]);
  });

  it('continues after the last row that both files have, even after a kill', () => {
    const place = folder();
    const store = PriceStore.open(place, origin);
    store.append([bars(0, 5), bars(0, 3)]);
    const [bid = '', ask = ''] = store.files;
    appendFileSync(ask, '2024-01-09 12:03:00.000+00:00,1.');
    const again = PriceStore.open(place, origin);
    expect(again.lastMs).toBe(startMs + 120_000);
    again.append([bars(3, 4), bars(3, 4)]);
    expect(checkPrices([bid, ask])).toMatchObject([
      { rows: 7, isSound: true },
      { rows: 7, isSound: true, faults: { missing: 0 } },
    ]);
  });

  it('takes the ticks of the last instant anew, since some may be missing', () => {
    const place = folder();
    const ticks = { ...origin, kind: 'ticks', asks: 'recorded' } as const;
    const tick = (afterMs: number) => ({ timeMs: startMs + afterMs, cells: ['1.1', '1.2'] });
    PriceStore.open(place, ticks).append([[tick(1), tick(5), tick(5)]]);
    const again = PriceStore.open(place, ticks);
    expect(again.lastMs).toBe(startMs + 1);
    expect(readFileSync(again.files[0] ?? '', 'utf8').split('\n')).toHaveLength(3);
  });

  it('does not mix prices of two accounts, nor files that do not belong together', () => {
    const place = folder();
    const store = PriceStore.open(place, origin);
    store.append([bars(0, 3), bars(1, 3)]);
    expect(() => PriceStore.open(place, { ...origin, login: 8 })).toThrow('another origin');
    expect(() => PriceStore.open(place, origin)).toThrow('does not match the file beside it');
    writeFileSync(store.files[1] ?? '', '');
    expect(PriceStore.open(place, origin).lastMs).toBeNull();
  });
});
