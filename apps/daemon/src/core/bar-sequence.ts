import type { Stream } from '@libs/strategy';
import { closeOf, timeframeMs } from './event-time';

/** What the sequence needs of a bar's event. */
interface SequencedBar {
  /** The bar's open on the broker's clock, in milliseconds. */
  readonly serverMs: number;
  /** Open of the stream's next bar on the broker's clock: there is none in between. */
  readonly closedMs: number;
  readonly bar: { readonly stream: string; readonly timeMs: number };
}

/** A bar's event and what its shell notes of it. */
export interface SequencedItem {
  readonly event: SequencedBar;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly closeMs: number;
  /** Place of its stream among the bars of one instant. */
  readonly rank: number;
  readonly serverMs: number;
  readonly arrivedMs: number;
}

/**
 * Orders the bars of a strategy's streams: by the instant at which they close, and at one instant by
 * {@link inStreamOrder}. The bars of an instant wait until each stream that may have one has delivered it, or until the
 * longest wait is over. With one stream nothing waits.
 */
export class BarSequence<Item extends SequencedItem> {
  private readonly streams: ReadonlyMap<string, { readonly timeframe: string; readonly rank: number }>;
  /** The open of each stream's next bar, as far as it is known. */
  private readonly next = new Map<string, number>();
  /** In their order. After an outage these are thousands of bars. */
  private readonly waiting: Waiting<Item>[] = [];
  /** The broker clocks of two gateways may differ: then UTC orders the bars. */
  private readonly usesServerClock: boolean;

  /**
   * @param waitMs longest wait for the other streams, in milliseconds of the clock of the calls
   */
  constructor(
    streams: readonly Stream[],
    private readonly waitMs: number,
  ) {
    this.streams = new Map(inStreamOrder(streams).map(({ alias, timeframe }, rank) => [alias, { timeframe, rank }]));
    this.usesServerClock = new Set(streams.map(({ broker }) => broker)).size === 1;
  }

  /** True while bars wait for those of other streams. */
  get isHolding(): boolean {
    return this.waiting.length > 0;
  }

  /** When the wait of the bars that come next is over; null while none waits. */
  get deadlineMs(): number | null {
    return this.waiting.length === 0 ? null : this.instantAt(0).deadlineMs;
  }

  /** The instant at which a bar closes, on the clock that orders the bars; in milliseconds. */
  closeMs(event: SequencedBar): number {
    return closeOf(this.openMs(event), this.streamOf(event.bar.stream).timeframe);
  }

  /** Notes a bar that was delivered outside of the sequence, as the past of a stream is. */
  note(event: SequencedBar): void {
    const { stream } = event.bar;
    const nextMs = this.openMs(event) + event.closedMs - event.serverMs;
    this.next.set(stream, Math.max(this.next.get(stream) ?? -Infinity, nextMs));
  }

  /** Takes a bar that a stream has delivered. */
  add(item: Item, nowMs: number): void {
    const one = this.waitingOf(item, nowMs);
    this.note(item.event);
    // Bars come in their order, but for those of streams that lag.
    let [low, high] = [0, this.waiting.length];
    for (let middle = high - 1; low < high; middle = (low + high) >> 1) {
      const other = this.waiting[middle];
      if (other && compare(other, one) > 0) high = middle;
      else low = middle + 1;
    }
    if (low === this.waiting.length) this.waiting.push(one);
    else this.waiting.splice(low, 0, one);
  }

  /** Removes and returns the bars that are due, in their order. */
  due(nowMs: number): Item[] {
    if (!this.isHolding) return [];
    const { completeBeforeMs } = this;
    let end = 0;
    while (end < this.waiting.length) {
      const instant = this.instantAt(end);
      if (!(instant.closeMs < completeBeforeMs) && nowMs < instant.deadlineMs) break;
      end = instant.end;
    }
    if (end === 0) return [];
    // Mostly one bar waits, and no more than it: to cut the array would make three others.
    const only = end === 1 && this.waiting.length === 1 ? this.waiting.pop() : undefined;
    return only ? [only.item] : this.waiting.splice(0, end).map(({ item }) => item);
  }

  /** Removes and returns all bars that wait, in their order. */
  takeAll(): Item[] {
    return this.waiting.splice(0).map(({ item }) => item);
  }

  /** Items in the order of the sequence. */
  inOrder(items: readonly Item[]): Item[] {
    return items
      .map((item) => this.waitingOf(item, 0))
      .sort(compare)
      .map(({ item }) => item);
  }

  /** No stream can deliver another bar that closes before this instant. */
  private get completeBeforeMs(): number {
    let first = Infinity;
    for (const [alias, { timeframe }] of this.streams) {
      first = Math.min(first, closeOf(this.next.get(alias) ?? -Infinity, timeframe));
    }
    return first;
  }

  /** The bars from an index on that close at the same instant, and when their wait is over. */
  private instantAt(index: number): { readonly closeMs: number; readonly end: number; readonly deadlineMs: number } {
    const closeMs = this.waiting[index]?.closeMs ?? Number.NaN;
    let [end, arrivedMs] = [index, Infinity];
    do arrivedMs = Math.min(arrivedMs, this.waiting[end++]?.arrivedMs ?? Infinity);
    while (this.waiting[end]?.closeMs === closeMs);
    return { closeMs, end, deadlineMs: arrivedMs + this.waitMs };
  }

  private waitingOf(item: Item, arrivedMs: number): Waiting<Item> {
    const { event } = item;
    const { rank } = this.streamOf(event.bar.stream);
    return { item, closeMs: this.closeMs(event), rank, serverMs: event.serverMs, arrivedMs };
  }

  private openMs({ serverMs, bar }: SequencedBar): number {
    return this.usesServerClock ? serverMs : bar.timeMs;
  }

  private streamOf(alias: string): { readonly timeframe: string; readonly rank: number } {
    const stream = this.streams.get(alias);
    if (!stream) throw new Error(`no stream ${alias}`);
    return stream;
  }
}

function compare(a: Waiting<unknown>, b: Waiting<unknown>): number {
  return a.closeMs - b.closeMs || a.rank - b.rank || a.serverMs - b.serverMs;
}

type Ranked = Pick<Stream, 'alias' | 'symbol' | 'timeframe'>;

/**
 * Orders streams as their bars of one instant are delivered: the longer timeframe first, then by symbol, then by alias.
 * The order in which a configuration lists them has no effect.
 */
export function compareStreams(a: Ranked, b: Ranked): number {
  return lengthOf(b) - lengthOf(a) || compareTexts(a.symbol, b.symbol) || compareTexts(a.alias, b.alias);
}

/** Streams in the order of {@link compareStreams}. */
export function inStreamOrder<Each extends Ranked>(streams: readonly Each[]): Each[] {
  return [...streams].sort(compareStreams);
}

/** The stream of each symbol with the shortest timeframe, by symbol. @param streams in the order of {@link compareStreams} */
export function finestStreams<Each extends Ranked>(streams: readonly Each[]): Each[] {
  const symbols = [...new Set(streams.map(({ symbol }) => symbol))].sort(compareTexts);
  return symbols.flatMap((symbol) => finestOf(streams.filter((stream) => stream.symbol === symbol)) ?? []);
}

/** The stream with the shortest timeframe; the first of them where there are several. */
export function finestOf<Each extends Ranked>(streams: readonly Each[]): Each | undefined {
  const shortest = Math.min(...streams.map(lengthOf));
  return streams.find((stream) => lengthOf(stream) === shortest);
}

/** Months are longer than everything else. */
function lengthOf({ timeframe }: Ranked): number {
  return timeframeMs(timeframe) ?? 31 * 86_400_000;
}

/** By code units: the order must not depend on the language of the machine. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
