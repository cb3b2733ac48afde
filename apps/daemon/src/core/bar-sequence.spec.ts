import { deepStrictEqual } from 'node:assert/strict';
import type { Stream } from '@libs/strategy';
import fc from 'fast-check';
import { BarSequence, type SequencedItem, inStreamOrder } from './bar-sequence';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const waitMs = 2_000;
/** A Tuesday at ten o'clock. */
const ten = Date.UTC(2024, 4, 14, 10);

const stream = (alias: string, symbol: string, timeframe: string, broker = 'demo'): Stream => {
  return { alias, symbol, timeframe, broker };
};
const fast = stream('fast', 'GBPUSD', 'M5');
const slow = stream('slow', 'GBPUSD', 'H1');
const euro = stream('euro', 'EURUSD', 'M5');

const lengths: Readonly<Record<string, number>> = { slow: hourMs, day: 24 * hourMs };
/** A bar by its stream's alias and its open after ten o'clock; the next one opens when it closes, or later. */
const bar = (
  alias: string,
  afterMs: number,
  offsetMs = 0,
  nextMs = afterMs + (lengths[alias] ?? 5 * minuteMs),
): SequencedItem => {
  const times = { serverMs: ten + afterMs, closedMs: ten + nextMs };
  return { event: { ...times, bar: { stream: alias, timeMs: ten + afterMs - offsetMs } } };
};
const shown = (bars: readonly SequencedItem[]): string[] => {
  return bars.map(
    ({
      event: {
        bar: { stream: alias },
        serverMs,
      },
    }) => `${alias} ${(serverMs - ten) / minuteMs}`,
  );
};
const sequenceOf = (streams: readonly Stream[], past: readonly SequencedItem[] = []): BarSequence<SequencedItem> => {
  const sequence = new BarSequence(streams, waitMs);
  for (const { event } of past) sequence.note(event);
  return sequence;
};

describe('the order of streams', () => {
  it('is by the longer timeframe, then by symbol, then by alias, however they are listed', () => {
    const streams = [
      stream('b', 'EURUSD', 'M1'),
      stream('month', 'GBPUSD', 'MN1'),
      stream('a', 'EURUSD', 'M1'),
      fast,
      euro,
      stream('week', 'GBPUSD', 'W1'),
      slow,
    ];
    const order = ['month', 'week', 'slow', 'euro', 'fast', 'a', 'b'];
    expect(inStreamOrder(streams).map(({ alias }) => alias)).toEqual(order);
    expect(inStreamOrder(streams.reverse()).map(({ alias }) => alias)).toEqual(order);
  });
});

/** A bar that a stream delivers at an instant of the shell's clock. */
interface Arrival {
  readonly atMs: number;
  readonly closeMs: number;
  readonly item: SequencedItem;
}

/** The bars of an hour's stream and of two of five minutes; the symbol of one is quiet in some of them, and has no bar. */
function arrivalsOf(
  instants: readonly { readonly euroIsQuiet: boolean; readonly delaysMs: readonly number[] }[],
): Arrival[] {
  return instants.flatMap(({ euroIsQuiet, delaysMs: [ofSlow = 0, ofFast = 0, ofEuro = 0] }, index) => {
    const openMs = index * 5 * minuteMs;
    const closeMs = openMs + 5 * minuteMs;
    const arrival = (item: SequencedItem, delayMs: number): Arrival => ({ atMs: closeMs + delayMs, closeMs, item });
    return [
      ...(closeMs % hourMs === 0 ? [arrival(bar('slow', closeMs - hourMs), ofSlow)] : []),
      arrival(bar('fast', openMs), ofFast),
      ...(euroIsQuiet ? [] : [arrival(bar('euro', openMs), ofEuro)]),
    ];
  });
}

/** The order in which a shell delivers: it asks for what is due at each arrival, and at each end of a wait. */
function delivered(arrivals: readonly Arrival[]): string[] {
  const past = [bar('slow', -hourMs), bar('fast', -5 * minuteMs), bar('euro', -5 * minuteMs)];
  const sequence = sequenceOf([fast, slow, euro], past);
  const order: SequencedItem[] = [];
  const wait = (untilMs: number): void => {
    for (let dueMs = sequence.deadlineMs; dueMs !== null && dueMs <= untilMs; dueMs = sequence.deadlineMs) {
      order.push(...sequence.due(dueMs));
    }
  };
  for (const { atMs, item } of [...arrivals].sort((a, b) => a.atMs - b.atMs)) {
    wait(atMs);
    sequence.add(item, atMs);
    order.push(...sequence.due(atMs));
  }
  wait(Infinity);
  return shown(order);
}

describe('the sequence of bars', () => {
  it('never waits with one stream', () => {
    const sequence = sequenceOf([fast]);
    sequence.add(bar('fast', 0), 0);
    expect(shown(sequence.due(0))).toEqual(['fast 0']);
    expect(sequence.deadlineMs).toBeNull();
  });

  it.each([
    ['the longer one comes first', ['slow', 'fast']],
    ['the shorter one comes first', ['fast', 'slow']],
  ])('delivers the bars of one instant together, the longer timeframe first: %s', (_, arrivals) => {
    const sequence = sequenceOf([fast, slow], [bar('fast', 50 * minuteMs), bar('slow', -hourMs)]);
    const bars: Readonly<Record<string, SequencedItem>> = { slow: bar('slow', 0), fast: bar('fast', 55 * minuteMs) };
    const [first = '', second = ''] = arrivals;
    sequence.add(bars[first] ?? bar('fast', 0), 0);
    expect(sequence.due(100)).toEqual([]);
    expect(sequence.isHolding).toBe(true);
    sequence.add(bars[second] ?? bar('fast', 0), 200);
    expect(shown(sequence.due(200))).toEqual(['slow 0', 'fast 55']);
    expect(sequence.isHolding).toBe(false);
  });

  it('does not wait for a stream that has no bar to come yet', () => {
    // The hour closes at eleven: at five past ten only the M5 bar is due.
    const sequence = sequenceOf([fast, slow], [bar('fast', -5 * minuteMs), bar('slow', -hourMs)]);
    sequence.add(bar('fast', 0), 0);
    expect(shown(sequence.due(0))).toEqual(['fast 0']);
  });

  it('waits for a stream without a bar no longer than the longest wait', () => {
    const sequence = sequenceOf([fast, euro], [bar('fast', 0), bar('euro', 0)]);
    sequence.add(bar('fast', 5 * minuteMs), 1_000);
    expect([sequence.due(2_999), sequence.deadlineMs]).toEqual([[], 3_000]);
    expect(shown(sequence.due(3_000))).toEqual(['fast 5']);
    // What comes too late is delivered at once, and is not lost.
    sequence.add(bar('euro', 5 * minuteMs), 3_500);
    expect(shown(sequence.due(3_500))).toEqual(['euro 5']);
  });

  it('does not wait for a bar that a stream has skipped', () => {
    const sequence = sequenceOf([fast, euro], [bar('fast', 0), bar('euro', -5 * minuteMs)]);
    sequence.add(bar('fast', 5 * minuteMs), 0);
    // The next one opens at ten past: there is none from five past to ten past.
    sequence.add(bar('euro', 0, 0, 10 * minuteMs), 500);
    expect(shown(sequence.due(500))).toEqual(['euro 0', 'fast 5']);
  });

  it('merges by time bars that arrive in bursts, as after an outage', () => {
    const sequence = sequenceOf([fast, euro], [bar('fast', -5 * minuteMs), bar('euro', -5 * minuteMs)]);
    for (const minutes of [0, 5, 10]) sequence.add(bar('fast', minutes * minuteMs), 0);
    expect(sequence.due(0)).toEqual([]);
    for (const minutes of [0, 5, 10]) sequence.add(bar('euro', minutes * minuteMs), 100);
    expect(shown(sequence.due(100))).toEqual(['euro 0', 'fast 0', 'euro 5', 'fast 5', 'euro 10', 'fast 10']);
  });

  it('orders bars over a weekend by their closing instants, not by the time of the next price', () => {
    const day = stream('day', 'GBPUSD', 'D1');
    const friday = Date.UTC(2024, 4, 17) - ten;
    const sequence = sequenceOf([fast, day], [bar('day', friday - 24 * hourMs), bar('fast', friday)]);
    sequence.add(bar('fast', friday + 24 * hourMs - 5 * minuteMs), 0);
    sequence.add(bar('day', friday), 0);
    expect(
      sequence.due(0).map(
        ({
          event: {
            bar: { stream: alias },
          },
        }) => alias,
      ),
    ).toEqual(['day', 'fast']);
  });

  it('knows a month by its end', () => {
    const month = stream('month', 'GBPUSD', 'MN1');
    const day = stream('day', 'GBPUSD', 'D1');
    const [april, may, june] = [3, 4, 5].map((at) => Date.UTC(2024, at, 1) - ten) as [number, number, number];
    const sequence = sequenceOf([month, day], [bar('month', april, 0, may), bar('day', may)]);
    sequence.add(bar('day', may + 24 * hourMs), 0);
    expect(sequence.due(0)).toHaveLength(1);
    sequence.add(bar('day', may + 30 * 24 * hourMs), 0);
    expect(sequence.due(0)).toHaveLength(0);
    sequence.add(bar('month', may, 0, june), 0);
    expect(
      sequence.due(0).map(
        ({
          event: {
            bar: { stream: alias },
          },
        }) => alias,
      ),
    ).toEqual(['month', 'day']);
  });

  it('orders the bars of two gateways by UTC, as their clocks differ', () => {
    const other = stream('other', 'EURUSD', 'M5', 'another');
    const sequence = sequenceOf([fast, other], [bar('fast', 0), bar('other', 2 * hourMs, 2 * hourMs)]);
    sequence.add(bar('fast', 5 * minuteMs), 0);
    expect(sequence.due(0)).toEqual([]);
    sequence.add(bar('other', 2 * hourMs + 5 * minuteMs, 2 * hourMs), 0);
    expect(
      sequence.due(0).map(
        ({
          event: {
            bar: { stream: alias },
          },
        }) => alias,
      ),
    ).toEqual(['other', 'fast']);
  });

  it('releases all waiting bars, in their order', () => {
    const sequence = sequenceOf([fast, slow]);
    sequence.add(bar('fast', 55 * minuteMs), 0);
    sequence.add(bar('slow', 0), 0);
    sequence.add(bar('fast', hourMs), 0);
    expect(shown(sequence.takeAll())).toEqual(['slow 0', 'fast 55', 'fast 60']);
    expect(sequence.isHolding).toBe(false);
  });

  it('delivers live, as the bars arrive, the order of a backtest, where all of an instant arrive at once', () => {
    const instants = fc.array(
      fc.record({ euroIsQuiet: fc.boolean(), delaysMs: fc.array(fc.nat(waitMs - 1), { minLength: 3, maxLength: 3 }) }),
      { minLength: 1, maxLength: 40 },
    );
    const property = fc.property(instants, (each) => {
      const arrivals = arrivalsOf(each);
      const live = delivered(arrivals);
      const atOnce = delivered(arrivals.map((one) => ({ ...one, atMs: one.closeMs })));
      // A quiet symbol has no bar to deliver: after the wait, its bar comes later than the others of its instant.
      deepStrictEqual(live, atOnce);
    });
    fc.assert(property, { numRuns: 300, seed: 15 });
  });

  it('reads each bar only a few times, regardless of how many wait', () => {
    let reads = 0;
    const counted = ({ event }: SequencedItem): SequencedItem => ({
      get event() {
        reads += 1;
        return event;
      },
    });
    const sequence = sequenceOf([fast, euro]);
    const bars = Array.from({ length: 2_000 }, (_, index) => counted(bar('fast', index * 5 * minuteMs)));
    for (const one of bars) sequence.add(one, 0);
    expect(sequence.due(0)).toEqual([]);
    const due = sequence.due(waitMs);
    expect(reads).toBeLessThan(10 * bars.length);
    expect(due).toEqual(bars);
  });
});
