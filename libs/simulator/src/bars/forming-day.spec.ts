import { Timeframe } from '@libs/terminal-client';
import type { QuoteBlock, QuoteSource } from '../quotes/quote-source';
import { RunningSimulator } from '../testing/running-simulator';
import { ServerClock } from '../time/server-clock';
import { FormingDay } from './forming-day';
import { MinuteBars } from './minute-bars';

const minuteMs = 60_000;
/** Midnight of 14 May at a server in Athens. */
const midnight = Date.UTC(2024, 4, 13, 21);

/** One quote a minute: its bid is the minute's number. */
class CountedQuotes implements QuoteSource {
  reads = 0;
  read(minute: number, into: QuoteBlock): void {
    this.reads += 1;
    into.clear();
    into.push(minute * minuteMs, minute, minute + 1);
  }
  nextMinute(minute: number): number {
    return minute;
  }
  previousMinute(minute: number): number {
    return minute;
  }
}

describe('the forming day of a symbol', () => {
  it.each([0, 1, 59, 600, 1_439])('is the bar of the day %i minutes after midnight of the server', async (minutes) => {
    const simulator = await RunningSimulator.start({ hours: 'always' }, midnight + minutes * minuteMs + 31_000);
    for (let step = 0; step < 3; step++) {
      const [record] = await simulator.client.symbolsGet('EURUSD');
      const day = await simulator.client.copyRatesFromPos('EURUSD', Timeframe.D1, 0, 1);
      expect([record?.session_open, record?.bidhigh, record?.bidlow]).toEqual([
        day?.open[0],
        day?.high[0],
        day?.low[0],
      ]);
      await simulator.clock.advance(47_000);
    }
  });

  it('is made of the minutes since midnight of the server alone, each read once but the present one', () => {
    const quotes = new CountedQuotes();
    const day = new FormingDay(new MinuteBars(quotes, 1), new ServerClock('Europe/Athens'));
    const first = midnight / minuteMs;
    expect(day.at(midnight + 90 * minuteMs)).toMatchObject({
      open: first,
      low: first,
      high: first + 90,
      tickVolume: 91,
    });
    expect(quotes.reads).toBe(91);
    expect(day.at(midnight + 92 * minuteMs)).toMatchObject({ open: first, high: first + 92, tickVolume: 93 });
    expect(quotes.reads).toBe(94);
  });
});
