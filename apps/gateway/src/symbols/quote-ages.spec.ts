import { VirtualClock } from '@libs/clock';
import { QuoteAges } from './quote-ages';

describe('the age of a quote', () => {
  const quote = { time_msc: 5_000, bid: 1.1, ask: 1.2 };

  it('is known once the gateway saw it change, and is at most the time since the last read of another one', () => {
    const clock = new VirtualClock();
    const ages = new QuoteAges(clock);
    expect(ages.note('EURUSD', quote)).toBeNull();
    clock.advanceSync(60_000);
    expect(ages.note('EURUSD', quote)).toBeNull();
    clock.advanceSync(2_000);
    expect(ages.note('EURUSD', { ...quote, bid: 1.11 })).toBe(2);
    clock.advanceSync(10_500);
    expect(ages.note('EURUSD', { ...quote, bid: 1.11 })).toBe(12.5);
    expect(ages.ageSeconds('EURUSD')).toBe(12.5);
    expect(ages.ageSeconds('GBPUSD')).toBeNull();
  });
});
