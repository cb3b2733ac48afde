import { createHash } from 'node:crypto';
import { readRecording } from '../replay/recordings';
import { generatedBars } from './generated-bars';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const month = generatedBars({ symbol: 'GBPUSD', period: '2023-02', seed: 1 });

describe('generated price files', () => {
  it('have the same bytes on every machine', () => {
    expect([digest(month.bid), digest(month.ask)]).toEqual([
      'f8b815f110159cae280dc8718184f840f98163e6a3afcd72cb302bb905ccad28',
      '1250904426644a462ab598528ce5c7944c6b4a2d316e6a8e42efdc5835f4f4f7',
    ]);
  });

  it('have a bar for each minute of the trading hours, and the ask above the bid in all of them', () => {
    const [bid, ask] = [readRecording('bid', month.bid), readRecording('ask', month.ask)];
    if (bid.kind !== 'bars' || ask.kind !== 'bars') throw new Error('these are not bars');
    // 1 February was a Wednesday; the week ends on Friday at 17:00 in New York and begins there on Sunday at 17:00.
    expect(bid.times).toHaveLength(20 * 1_440);
    expect(ask.times).toEqual(bid.times);
    expect(bid.times.every((time) => new Date(time).getUTCDay() !== 6)).toBe(true);
    for (const [at, open] of bid.open.entries()) {
      const [high = 0, low = 0, close = 0] = [bid.high[at], bid.low[at], bid.close[at]];
      if (low > Math.min(open, close) || high < Math.max(open, close))
        throw new Error(`bar ${at} is outside its range`);
      if ((ask.low[at] ?? 0) <= low || (ask.high[at] ?? 0) <= high)
        throw new Error(`bar ${at} has its ask below the bid`);
    }
  });

  it('of a day are a part of those of its month', () => {
    const day = generatedBars({ symbol: 'GBPUSD', period: '2023-02-28', seed: 1 });
    const rows = (text: string): readonly string[] => text.trim().split('\n').slice(1);
    expect(rows(day.bid)).toHaveLength(1_440);
    expect(rows(day.bid)).toEqual(rows(month.bid).slice(-1_440));
  });

  it('differ from seed to seed and from symbol to symbol', () => {
    const other = generatedBars({ symbol: 'GBPUSD', period: '2023-02', seed: 2 });
    expect(other.bid).not.toBe(month.bid);
    const yen = generatedBars({ symbol: 'USDJPY', period: '2023-02', seed: 1 });
    expect(yen.bid.split('\n')[1]).toMatch(/^2023-02-01 00:00:00\+00:00(,1\d\d\.\d{3}){4}$/);
  });

  it.each([
    ['a symbol that is not in the catalogue', { symbol: 'XXXYYY', period: '2023-02' }, 'there is no symbol XXXYYY'],
    ['a month that is none', { symbol: 'GBPUSD', period: '2023-13' }, 'no year such as 2023, month such as 2023-02'],
    ['a day that is none', { symbol: 'GBPUSD', period: '2023-02-29' }, 'or day such as 2023-02-01'],
  ])('are refused for %s', (_, wanted, problem) => {
    expect(() => generatedBars({ ...wanted, seed: 1 })).toThrow(problem);
  });
});
