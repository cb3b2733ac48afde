import type { FullBarRecord, GatewayReads } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import type { ReceivedBar, ReceivedStream } from '../backtest/received-bars';
import { timeframeMs } from '../core/event-time';
import { pageMsOf } from './live-bars';
import type { Span } from './live-trade';
import { readRecordedBars, noBars, type RecordedBars, type RecordedStretch } from './recorded-bars';

const dayMs = 86_400_000;

/** Successive bars of one kind: opens of the first and the last one, in UTC milliseconds. */
export interface BarRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bars: number;
}

/** Where the bars of a stream come from that a backtest of a period delivers. */
export interface StreamSources {
  /** Such as `demo:EURUSD@M1`. */
  readonly stream: string;
  /** As the strategy received them. */
  readonly received: readonly BarRange[];
  /** As the gateway has them, because it is not on record which ones the strategy received. */
  readonly gateway: readonly BarRange[];
  /** Received bars that have other prices at the gateway now. */
  readonly changed: readonly BarRange[];
  /** Received bars that the gateway does not have. */
  readonly removed: readonly BarRange[];
  /** Bars of the gateway that the strategy did not receive, although it received others of that time. */
  readonly notReceived: readonly BarRange[];
  /** How many of the received ones came late. */
  readonly late: number;
}

/** What a live strategy received in a period, to be replayed, beside the bars that the gateway has. */
export interface ReceivedDays {
  readonly name: string;
  readonly streams: readonly ReceivedStream[];
  readonly sources: readonly StreamSources[];
  /** Damaged lines of the record. */
  readonly damaged: number;
}

/**
 * @param stateDir null: the record does not belong to this market
 * @throws GatewayReadError, Error of the file system
 */
export async function readReceivedDays(
  reads: GatewayReads,
  { name, streams }: { readonly name: string; readonly streams: readonly Stream[] },
  stateDir: string | null,
  span: Span,
): Promise<ReceivedDays> {
  const recorded = stateDir === null ? noBars : readRecordedBars(stateDir, name);
  const found = new Map<string, ReceivedOfStream>();
  for (const stream of streams) {
    const key = `${stream.broker}:${stream.symbol}@${stream.timeframe}`;
    if (!found.has(key)) found.set(key, await receivedOf(reads, stream, recorded, key, span));
  }
  return {
    name,
    streams: [...found.values()].map(({ received }) => received),
    sources: [...found.values()].map(({ sources }) => sources),
    damaged: recorded.damaged,
  };
}

interface ReceivedOfStream {
  readonly received: ReceivedStream;
  readonly sources: StreamSources;
}

async function receivedOf(
  reads: GatewayReads,
  { symbol, timeframe }: Stream,
  recorded: RecordedBars,
  stream: string,
  { fromMs, toMs }: Span,
): Promise<ReceivedOfStream> {
  const barMs = timeframeMs(timeframe) ?? 31 * dayMs;
  // A backtest delivers the bars that close in the period.
  const closes = { afterMs: fromMs - barMs, beforeMs: toMs - barMs };
  const rows = (await readBars(reads, symbol, timeframe, { fromMs: closes.afterMs, toMs })).map(barOf);
  const own = recorded.streams.get(stream) ?? [];
  const stretches = own.flatMap((stretch) => inUtc(stretch, rows, closes.afterMs) ?? []);
  const isInside = ({ timeMs }: { readonly timeMs: number }): boolean =>
    timeMs > closes.afterMs && timeMs < closes.beforeMs;
  const bars = stretches.flatMap((stretch) => stretch.bars).filter(isInside);
  return {
    received: { symbol, timeframe, stretches },
    sources: sourcesOf(stream, rows.filter(isInside), bars, stretches),
  };
}

/** A bar of the gateway. */
interface GatewayBar extends Pick<FullBarRecord, 'open' | 'high' | 'low' | 'close'> {
  readonly timeMs: number;
  readonly serverMs: number;
}

function barOf({ time, time_server: seconds, open, high, low, close }: FullBarRecord): GatewayBar {
  return { timeMs: Date.parse(time), serverMs: seconds * 1_000, open, high, low, close };
}

/** A stretch in UTC, from an instant on; null if nothing of it is after that, or the gateway has no bar to tell UTC by. */
function inUtc(
  { afterMs, toMs, bars }: RecordedStretch,
  rows: readonly GatewayBar[],
  fromMs: number,
): ReceivedStream['stretches'][number] | null {
  if (rows.length === 0) return null;
  const utcMs = (serverMs: number): number => serverMs - aheadMs(rows, serverMs);
  const [from, until] = [Math.max(utcMs(afterMs), fromMs), utcMs(toMs)];
  if (from >= until) return null;
  const own = bars.map(({ openMs, closedMs, open, high, low, close, tickVolume, lateMs }): ReceivedBar => {
    const times = { timeMs: utcMs(openMs), closedMs: utcMs(closedMs) };
    return { ...times, open, high, low, close, tickVolume, lateMs };
  });
  return { afterMs: from, toMs: until, bars: own.filter(({ timeMs }) => timeMs > from) };
}

/** How far the broker's clock was ahead of UTC, by the gateway's bar of that time or the one before it; in milliseconds. */
function aheadMs(rows: readonly GatewayBar[], serverMs: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.serverMs ?? Infinity) <= serverMs) low = middle;
    else high = middle - 1;
  }
  const row = rows[low];
  return row ? row.serverMs - row.timeMs : 0;
}

type Kind = 'gateway' | 'same' | 'changed' | 'removed' | 'notReceived';

function sourcesOf(
  stream: string,
  rows: readonly GatewayBar[],
  bars: readonly ReceivedBar[],
  stretches: ReceivedStream['stretches'],
): StreamSources {
  const received = new Map(bars.map((bar) => [bar.timeMs, bar]));
  const kinds = new Map<number, Kind>(bars.map(({ timeMs }) => [timeMs, 'removed']));
  for (const row of rows) {
    const own = received.get(row.timeMs);
    if (own) kinds.set(row.timeMs, isSame(own, row) ? 'same' : 'changed');
    else kinds.set(row.timeMs, isKnown(stretches, row.timeMs) ? 'notReceived' : 'gateway');
  }
  const all = [...kinds].sort(([a], [b]) => a - b);
  const ranges = (...wanted: readonly Kind[]): readonly BarRange[] => rangesOf(all, wanted);
  return {
    stream,
    received: ranges('same', 'changed', 'removed'),
    gateway: ranges('gateway'),
    changed: ranges('changed'),
    removed: ranges('removed'),
    notReceived: ranges('notReceived'),
    late: bars.filter(({ lateMs }) => lateMs > 0).length,
  };
}

function isSame(a: Omit<GatewayBar, 'serverMs'>, b: Omit<GatewayBar, 'serverMs'>): boolean {
  return a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close;
}

function isKnown(stretches: ReceivedStream['stretches'], timeMs: number): boolean {
  return stretches.some(({ afterMs, toMs }) => timeMs > afterMs && timeMs <= toMs);
}

/** Runs of bars of these kinds. */
function rangesOf(all: readonly (readonly [number, Kind])[], wanted: readonly Kind[]): readonly BarRange[] {
  const ranges: BarRange[] = [];
  let isOpen = false;
  for (const [timeMs, kind] of all) {
    const isWanted = wanted.includes(kind);
    const last = ranges.at(-1);
    if (isWanted && isOpen && last) ranges[ranges.length - 1] = { ...last, toMs: timeMs, bars: last.bars + 1 };
    else if (isWanted) ranges.push({ fromMs: timeMs, toMs: timeMs, bars: 1 });
    isOpen = isWanted;
  }
  return ranges;
}

/** The bars that open in a period. */
async function readBars(
  reads: GatewayReads,
  symbol: string,
  timeframe: string,
  { fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>,
): Promise<readonly FullBarRecord[]> {
  const records: FullBarRecord[] = [];
  const pageMs = pageMsOf(timeframe);
  // Both ends of a gateway's span are inside.
  for (let at = fromMs; at < toMs; at += pageMs) {
    const until = Math.min(at + pageMs, toMs) - 1;
    records.push(...(await reads.fetchDataRange(symbol, timeframe, new Date(at), new Date(until))));
  }
  return records;
}
