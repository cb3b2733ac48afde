import { ServerClock } from '../../time/server-clock';
import { continuousSchedule, TradingHours } from '../../time/trading-hours';
import { catalogue } from '../../symbols/catalogue';
import type { SymbolSpec } from '../../symbols/symbol-spec';
import { QuoteBlock, type QuoteSource } from '../../quotes/quote-source';
import { SymbolFeed } from '../symbol-feed';
import { assets } from '../../symbols/assets';
import { GeneratedMarket } from './generated-market';

const clock = new ServerClock('Europe/Athens');
const DAY = 1_440;
/** Monday, 8 January 2024, as a minute of the epoch. */
const MONDAY = Date.UTC(2024, 0, 8) / 60_000;

const specOf = (name: string): SymbolSpec => {
  const spec = catalogue.find((candidate) => candidate.name === name);
  if (!spec) throw new Error(name);
  return spec;
};
const market = (seed = 11): ((name: string) => QuoteSource) => {
  const generated = new GeneratedMarket(seed, assets, true);
  return (name) => generated.source(specOf(name), new TradingHours(specOf(name).market.schedule, clock));
};
const closesOf = (source: QuoteSource, from: number, minutes: number): (number | null)[] => {
  const block = new QuoteBlock();
  return Array.from({ length: minutes }, (_, at) => {
    source.read(from + at, block);
    return block.count === 0 ? null : (block.bids[block.count - 1] ?? null);
  });
};
const changesOf = (closes: readonly (number | null)[]): number[] =>
  closes.flatMap((close, at) => {
    const before = closes[at - 1];
    return at > 0 && close !== null && before != null ? [Math.log(close / before)] : [];
  });
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const correlation = (values: readonly number[], lag: number): number => {
  const middle = mean(values);
  const spread = mean(values.map((value) => (value - middle) ** 2));
  return mean(values.slice(lag).map((value, at) => (value - middle) * ((values[at] ?? 0) - middle))) / spread;
};

describe('generated prices', () => {
  it('are the same for the same seed, in any order of the minutes', () => {
    const first = closesOf(market()('GBPJPY'), MONDAY, 3 * DAY);
    const again = market()('GBPJPY');
    expect(closesOf(again, MONDAY + 2 * DAY, DAY)).toEqual(first.slice(2 * DAY));
    expect(closesOf(again, MONDAY, DAY)).toEqual(first.slice(0, DAY));
    expect(closesOf(market(12)('GBPJPY'), MONDAY, 60)).not.toEqual(first.slice(0, 60));
  });

  it('stay within reason for years, and move in a day as much as the asset does', () => {
    const source = market()('EURUSD');
    const mondays = Array.from(
      { length: 250 },
      (_, week) => closesOf(source, MONDAY - week * 7 * DAY + 720, 1)[0],
    ).flatMap((close) => close ?? []);
    expect(Math.min(...mondays)).toBeGreaterThan(0.8);
    expect(Math.max(...mondays)).toBeLessThan(1.5);
    const days = Array.from({ length: 120 }, (_, day) => closesOf(source, MONDAY - day * DAY + 720, 1)[0] ?? null);
    const daily = Math.sqrt(mean(changesOf(days).map((change) => change ** 2)));
    expect(daily).toBeGreaterThan(0.0025);
    expect(daily).toBeLessThan(0.009);
  });

  it('have volatility that clusters, and changes that do not predict each other', () => {
    const changes = changesOf(closesOf(market()('EURUSD'), MONDAY, 4 * DAY));
    const sizes = changes.map(Math.abs);
    expect(correlation(sizes, 1)).toBeGreaterThan(0.1);
    expect(correlation(sizes, 15)).toBeGreaterThan(0.05);
    expect(Math.abs(correlation(changes, 1))).toBeLessThan(0.08);
    const deviation = Math.sqrt(mean(changes.map((change) => change ** 2)));
    const kurtosis = mean(changes.map((change) => change ** 4)) / deviation ** 4;
    expect(kurtosis).toBeGreaterThan(3.5);
  });

  it('are busier in London and New York than in Asia', () => {
    const closes = closesOf(market()('EURUSD'), MONDAY, 4 * DAY);
    const sizeAt = (from: number, to: number): number =>
      mean(changesOf(closes.map((close, at) => (at % DAY >= from && at % DAY < to ? close : null))).map(Math.abs));
    expect(sizeAt(13 * 60, 16 * 60)).toBeGreaterThan(1.5 * sizeAt(2 * 60, 5 * 60));
  });

  it('have spreads near the usual one, wider when it is quiet and widest at the rollover', () => {
    const source = market()('EURUSD');
    const block = new QuoteBlock();
    const spreadsAt = (hour: number): number[] => {
      const spreads: number[] = [];
      for (let minute = 0; minute < 180; minute++) {
        source.read(MONDAY + Math.floor(minute / 60) * DAY + hour * 60 + (minute % 60), block);
        for (let at = 0; at < block.count; at++) {
          spreads.push(Math.round(((block.asks[at] ?? 0) - (block.bids[at] ?? 0)) * 1e5));
        }
      }
      return spreads.sort((a, b) => a - b);
    };
    const [london, asia, rollover] = [spreadsAt(14), spreadsAt(4), spreadsAt(21)];
    const median = (values: number[]): number => values[Math.floor(values.length / 2)] ?? 0;
    expect(london[0]).toBeGreaterThanOrEqual(1);
    expect(median(london)).toBeGreaterThanOrEqual(7);
    expect(median(london)).toBeLessThanOrEqual(10);
    expect(london[Math.floor(london.length * 0.995)]).toBeGreaterThan(1.5 * median(london));
    expect(median(asia)).toBeGreaterThan(median(london));
    expect(median(rollover)).toBeGreaterThan(2 * median(asia));
  });

  it('leave no arbitrage between a cross and its legs, at any instant', () => {
    const sources = market();
    const feeds = ['EURUSD', 'USDJPY', 'EURJPY', 'GBPUSD', 'EURGBP', 'GBPJPY'].map(
      (name) => [name, new SymbolFeed(specOf(name), sources(name))] as const,
    );
    const at = Object.fromEntries(feeds);
    for (let second = 0; second < 3_600; second += 7) {
      const now = MONDAY * 60_000 + 8 * 3_600_000 + second * 1_000 + 13;
      for (const [, feed] of feeds) feed.jumpTo(now);
      const [eur, jpy, eurjpy] = [at.EURUSD?.quote, at.USDJPY?.quote, at.EURJPY?.quote];
      const [gbp, eurgbp, gbpjpy] = [at.GBPUSD?.quote, at.EURGBP?.quote, at.GBPJPY?.quote];
      if (!eur || !jpy || !eurjpy || !gbp || !eurgbp || !gbpjpy) throw new Error('a quote is missing');
      expect(eur.bid * jpy.bid).toBeLessThan(eurjpy.ask);
      expect(eur.ask * jpy.ask).toBeGreaterThan(eurjpy.bid);
      expect(eurgbp.bid * gbp.bid).toBeLessThan(eur.ask);
      expect(eurgbp.ask * gbp.ask).toBeGreaterThan(eur.bid);
      expect(gbp.bid * jpy.bid).toBeLessThan(gbpjpy.ask);
      expect(gbp.ask * jpy.ask).toBeGreaterThan(gbpjpy.bid);
    }
  });

  it('tick at times of their own: the whole of Market Watch several times a second, also in the quietest hour', () => {
    const sources = market();
    const names = catalogue.filter((spec) => spec.market.visible).map(({ name }) => name);
    const block = new QuoteBlock();
    const perSecond = (hour: number): number => {
      const instants = new Set<number>();
      let alone = 0;
      for (let minute = 0; minute < 30; minute++) {
        const seen = new Map<number, number>();
        for (const name of names) {
          sources(name).read(MONDAY + DAY + hour * 60 + minute, block);
          for (let at = 0; at < block.count; at++) {
            const timeMs = block.times[at] ?? 0;
            seen.set(timeMs, (seen.get(timeMs) ?? 0) + 1);
          }
        }
        for (const [timeMs, count] of seen) {
          instants.add(timeMs);
          if (count === 1) alone++;
        }
      }
      expect(alone).toBeGreaterThan(instants.size / 2);
      return instants.size / (30 * 60);
    };
    expect(perSecond(14)).toBeGreaterThan(3);
    expect(perSecond(21)).toBeGreaterThan(1);
  });

  it('keep their quotes in order, each at its own instant', () => {
    const source = market()('EURUSD');
    const block = new QuoteBlock();
    for (let minute = 0; minute < 600; minute++) {
      source.read(MONDAY + minute, block);
      const times = Array.from(block.times.subarray(0, block.count));
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    }
  });

  it('stop for the weekend and open with a gap; crypto continues', () => {
    const source = market()('EURUSD');
    const friday = Date.UTC(2024, 0, 12, 22) / 60_000;
    const gaps = Array.from({ length: 40 }, (_, week) => {
      const close = friday - week * 7 * DAY;
      // The spot week ends at 17:00 in New York, whatever the season.
      const last = source.previousMinute(close + DAY) ?? 0;
      const first = source.nextMinute(close + DAY) ?? 0;
      // An hour less or more where the clocks of New York change.
      expect([2 * DAY - 59, 2 * DAY + 1, 2 * DAY + 61]).toContain(first - last);
      const [before] = closesOf(source, last, 1);
      const [after] = closesOf(source, first, 1);
      return Math.abs(Math.log((after ?? 1) / (before ?? 1)));
    });
    const minute = mean(changesOf(closesOf(source, MONDAY, 2 * DAY)).map(Math.abs));
    expect(mean(gaps)).toBeGreaterThan(5 * minute);
    expect(mean(gaps)).toBeLessThan(0.004);
    expect(closesOf(source, friday + DAY, 60).every((close) => close === null)).toBe(true);
    expect(closesOf(market()('BTCUSD'), friday + DAY, 60).every((close) => close !== null)).toBe(true);
  });

  it('are closed on holidays, and never with the demonstration hours', () => {
    const spec = specOf('EURUSD');
    const christmas = Date.UTC(2024, 11, 25, 12);
    expect(new TradingHours(spec.market.schedule, clock).isOpen(christmas)).toBe(false);
    expect(new TradingHours(continuousSchedule, clock).isOpen(christmas)).toBe(true);
  });
});
