import { GatewayReadError, type FullBarRecord, type GatewayReads, type TickRecord } from '@libs/gateway-client';
import { PriceStore, type PriceOrigin, type PriceRow } from './price-store';

/** A pull that cannot be done as it was asked for, in words for people. */
export class PullRefusedError extends Error {}

/** What a pull reads, and where it puts it. */
export interface PullOrder {
  readonly symbol: string;
  readonly kind: 'bars' | 'ticks';
  /** First instant, in UTC milliseconds. */
  readonly fromMs: number;
  /** The instant at which it ends, left out; null for the latest that is complete. */
  readonly toMs: number | null;
  readonly folder: string;
}

export interface PullResult {
  readonly files: readonly string[];
  /** Rows added to each file. */
  readonly added: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

const minuteMs = 60_000;
/** One request: a day of bars, or an hour of ticks. */
const pageMs = { bars: 1_440 * minuteMs, ticks: 60 * minuteMs } as const;
const asksOf = {
  bars: 'bid plus the spread of each bar: bars hold bids, and one spread',
  ticks: 'recorded',
} as const;

/**
 * Reads prices from a gateway into a store, page by page; what the store has already is not read again.
 * @param onPage called with the share that is done after each page
 * @throws GatewayReadError, PriceStoreError, PullRefusedError
 */
export async function pullPrices(
  reads: GatewayReads,
  { symbol, kind, fromMs, toMs, folder }: PullOrder,
  onPage: (share: number) => void,
): Promise<PullResult> {
  const { server, login } = await reads.account();
  const { digits } = await reads.symbolInfo(symbol);
  const store = PriceStore.open(folder, {
    server,
    login,
    symbol,
    kind,
    digits,
    asks: asksOf[kind],
  } satisfies PriceOrigin);
  if (store.firstMs !== null && fromMs < store.firstMs - pageMs[kind]) {
    const begin = new Date(store.firstMs).toISOString();
    throw new PullRefusedError(`the store begins at ${begin}; pull earlier prices into another --store`);
  }
  const endMs = Math.min(toMs ?? Infinity, await completeUntil(reads, symbol, kind));
  const startMs = store.lastMs === null ? fromMs : Math.max(fromMs, store.lastMs + (kind === 'bars' ? minuteMs : 1));
  let added = 0;
  for (let at = startMs; at < endMs; at += pageMs[kind]) {
    const until = Math.min(at + pageMs[kind], endMs);
    const rows = await page(reads, symbol, kind, digits, at, until);
    store.append(rows);
    added += rows[0]?.length ?? 0;
    onPage((until - startMs) / (endMs - startMs));
  }
  return { files: store.files, added, firstMs: store.firstMs, lastMs: store.lastMs };
}

/** The instant before which prices no longer change: the minute, or the instant, of the last quote. */
async function completeUntil(reads: GatewayReads, symbol: string, kind: PullOrder['kind']): Promise<number> {
  const tick = await reads.symbolInfoTick(symbol);
  const timeMs = utcMsOf(tick);
  return kind === 'ticks' ? timeMs : Math.floor(timeMs / minuteMs) * minuteMs;
}

/** The rows that open from an instant to before another, by file. */
async function page(
  reads: GatewayReads,
  symbol: string,
  kind: PullOrder['kind'],
  digits: number,
  fromMs: number,
  toMs: number,
): Promise<readonly (readonly PriceRow[])[]> {
  // Both ends of a gateway's span are inside.
  const [from, to] = [new Date(fromMs), new Date(toMs - 1)];
  const price = (value: number): string => value.toFixed(digits);
  if (kind === 'ticks') {
    if (toMs - fromMs < 2) return [[]];
    const ticks = (await reads.copyTicksRange(symbol, from, to, 'info')).filter(({ bid, ask }) => bid > 0 && ask > 0);
    return [ticks.map((tick) => ({ timeMs: utcMsOf(tick), cells: [price(tick.bid), price(tick.ask)] }))];
  }
  const bars = await reads.fetchDataRange(symbol, 'M1', from, to);
  const rowsOf = (above: (bar: FullBarRecord) => number): readonly PriceRow[] =>
    bars.map((bar) => ({
      timeMs: openMsOf(bar),
      cells: [bar.open, bar.high, bar.low, bar.close].map((value) => price(value + above(bar))),
    }));
  return [rowsOf(() => 0), rowsOf(({ spread }) => spread / 10 ** digits)];
}

function openMsOf({ time }: FullBarRecord): number {
  if (!time.endsWith('Z')) throw unknownZone();
  return Date.parse(time);
}

function utcMsOf({ time_utc: text }: TickRecord): number {
  if (text === null) throw unknownZone();
  return Date.parse(text);
}

function unknownZone(): PullRefusedError {
  return new PullRefusedError(
    'the time zone of the broker server is unknown: set TERMINAL_SERVER_TIME_ZONE of the gateway',
  );
}

/** Errors of a pull in words for its user; anything else is a bug. */
export const pullErrors = [PullRefusedError, GatewayReadError] as const;
