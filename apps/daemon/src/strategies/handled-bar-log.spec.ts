import type { BarEvent } from '../core/strategy-event';
import { HandledBarLog } from './handled-bar-log';

const [minuteMs, hourMs] = [60_000, 3_600_000];

/** A bar that opens this long after midnight of the broker. */
const barAt = (openMs: number, timeframe: string, changes: object = {}): BarEvent => {
  const series = { stream: 'main', symbol: 'EURUSD', timeframe, timeMs: openMs - 2 * hourMs };
  const prices = { open: 1.1, high: 1.2, low: 1, close: 1.15, tickVolume: 3, lateMs: 0, ...changes };
  const times = { serverMs: openMs, closedMs: openMs + minuteMs, onArrival: null };
  return { type: 'bar', warmingUp: false, ...times, bar: { ...series, ...prices } };
};

describe('the bars that a strategy has handled', () => {
  const lines: (readonly [string, object | undefined])[] = [];
  let log: HandledBarLog;
  beforeEach(() => {
    lines.length = 0;
    log = new HandledBarLog({ debug: (text, details) => void lines.push([text, details]) });
  });
  const detailsOf = (): object[] => lines.map(([, details]) => details ?? {});

  it('are a line of the log for each hour of the broker, and one at the end', () => {
    for (const minute of [58, 59, 60, 61]) {
      log.note('demo:EURUSD@M1', barAt(minute * minuteMs, 'M1', { lateMs: minute === 61 ? 70_000 : 0 }));
    }
    expect(lines.map(([text]) => text)).toEqual(['bars handled']);
    log.flush();
    log.flush();
    const part = { stream: 'demo:EURUSD@M1', bars: 2, digest: expect.stringMatching(/^[0-9a-f]{16}$/) };
    expect(detailsOf()).toEqual([
      { ...part, firstServerMs: 58 * minuteMs, lastServerMs: 59 * minuteMs, late: 0 },
      { ...part, firstServerMs: 60 * minuteMs, lastServerMs: 61 * minuteMs, late: 1 },
    ]);
  });

  it('count once where two streams of the strategy have them', () => {
    for (const minute of [0, 0, 1, 1]) log.note('demo:EURUSD@M1', barAt(minute * minuteMs, 'M1'));
    log.flush();
    expect(detailsOf()).toMatchObject([{ bars: 2 }]);
  });

  it('are a line for each day for bars of an hour, and for each stream one of its own', () => {
    for (const hour of [22, 23, 24]) log.note('demo:EURUSD@H1', barAt(hour * hourMs, 'H1'));
    log.note('demo:EURUSD@M1', barAt(0, 'M1'));
    log.flush();
    expect(detailsOf()).toMatchObject([
      { stream: 'demo:EURUSD@H1', bars: 2 },
      { stream: 'demo:EURUSD@H1', bars: 1 },
      { stream: 'demo:EURUSD@M1', bars: 1 },
    ]);
  });

  it.each(['open', 'high', 'low', 'close'])('have another digest with another %s', (price) => {
    for (const changes of [{}, {}, { [price]: 1.10001 }]) {
      log.note('demo:EURUSD@M1', barAt(0, 'M1', changes));
      log.flush();
    }
    const [first, second, third] = detailsOf().map((details) => 'digest' in details && details.digest);
    expect([first === second, first === third]).toEqual([true, false]);
  });
});
