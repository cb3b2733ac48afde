import { Timeframe } from '@libs/terminal-client';
import type { QuoteSource } from '../quotes/quote-source';
import { catalogue } from '../symbols/catalogue';
import { ServerClock } from '../time/server-clock';
import { BarHistory } from './bar-history';

const nowMs = Date.UTC(2024, 4, 14, 10);
/** As SIM_HISTORY_DAYS has it by default. */
const firstMs = nowMs - 1_100 * 86_400_000;

/** One quote a minute, counted. */
class CountedQuotes implements QuoteSource {
  minutes = 0;

  read(minute: number, into: Parameters<QuoteSource['read']>[1]): void {
    this.minutes++;
    into.clear();
    into.push(minute * 60_000, 1.1, 1.10001);
  }

  nextMinute(minute: number): number {
    return minute;
  }

  previousMinute(minute: number): number {
    return minute;
  }
}

describe('a read of all the history', () => {
  const [spec] = catalogue;
  if (!spec) throw new Error('the catalogue is empty');
  const quotes = new CountedQuotes();
  const history = new BarHistory(spec, quotes, new ServerClock('UTC'), firstMs);
  const all = () => history.fromPosition(Timeframe.MN1, 0, 10_000, nowMs);

  it('lets others have their turn after each day, so that an order does not wait for years of bars', async () => {
    let isOver = false;
    const reading = all().finally(() => (isOver = true));
    const turns: number[] = [quotes.minutes];
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(quotes.minutes);
    }
    expect((await reading).time.length).toBe(37);
    const most = Math.max(...turns.map((minutes, at) => minutes - (turns[at - 1] ?? 0)));
    expect(most).toBeLessThanOrEqual(2 * 1_440);
  });

  it('makes the days that are over once', async () => {
    const before = quotes.minutes;
    await all();
    expect(quotes.minutes - before).toBeLessThanOrEqual(1_440);
  });
});
