import { GatewayReadError, type FullBarRecord, type GatewayReads, type TickRecord } from '@libs/gateway-client';
import { askOrigins, keptAsks, PriceStore, type BarAsks, type PriceOrigin, type PriceRow } from './price-store';

/** A pull that cannot be done as it was asked for, in words for people. */
class PullRefusedError extends Error {}

/** What a pull reads, and where it puts it. */
export interface PullOrder {
  readonly symbol: string;
  readonly kind: 'bars' | 'ticks';
  /**
   * Where the asks of bars come from: their spread, or their ticks where the gateway has all of a bar. Omitted: as those in
   * the folder; of a new store `ticks`.
   */
  readonly asks?: BarAsks;
  /** First instant, in UTC milliseconds. */
  readonly fromMs: number;
  /** The instant at which it ends, left out; null for the latest that is complete. */
  readonly toMs: number | null;
  readonly folder: string;
}

interface PullResult {
  readonly files: readonly string[];
  /** Rows added to each file. */
  readonly added: number;
  readonly asks: keyof typeof askOrigins;
  /** How many of these are bars whose asks come from ticks; null where they were not read for that. */
  readonly fromTicks: number | null;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Follows a pull. */
interface PullListener {
  /** Called once before prices are read, where the order does not state the asks of its bars. */
  chose?(asks: BarAsks, because: 'new store' | 'kept'): void;
  /** Called after each page with the share that is done, 0 to 1. */
  reached(share: number): void;
}

const minuteMs = 60_000;
/** One request: a day of bars, or an hour of ticks. */
const pageMs = { bars: 1_440 * minuteMs, ticks: 60 * minuteMs } as const;

/**
 * Reads prices from a gateway into a store, page by page; what the store has already is not read again.
 * @throws GatewayReadError, PriceStoreError, PullRefusedError
 */
export async function pullPrices(reads: GatewayReads, order: PullOrder, listener: PullListener): Promise<PullResult> {
  const { symbol, kind, fromMs, toMs, folder } = order;
  const { server, login } = await reads.account();
  const { digits } = await reads.symbolInfo(symbol);
  const kept = kind === 'ticks' ? null : keptAsks(folder, symbol);
  const asks = kind === 'ticks' ? 'recorded' : asksFor(order, kept);
  const described = { server, login, symbol, kind, digits, asks: askOrigins[asks] } satisfies PriceOrigin;
  const store = PriceStore.open(folder, described);
  if (asks !== 'recorded' && order.asks === undefined) listener.chose?.(asks, kept === null ? 'new store' : 'kept');
  if (store.firstMs !== null && fromMs < store.firstMs - pageMs[kind]) {
    const begin = new Date(store.firstMs).toISOString();
    throw new PullRefusedError(`the store begins at ${begin}; pull earlier prices into another --store`);
  }
  const endMs = Math.min(toMs ?? Infinity, await completeUntil(reads, symbol, kind));
  const startMs = store.lastMs === null ? fromMs : Math.max(fromMs, store.lastMs + (kind === 'bars' ? minuteMs : 1));
  const read = kind === 'ticks' ? tickPage : barPage;
  let [added, fromTicks] = [0, 0];
  for (let at = startMs; at < endMs; at += pageMs[kind]) {
    const until = Math.min(at + pageMs[kind], endMs);
    const page = await read({ reads, symbol, digits, asks, fromMs: at, toMs: until });
    store.append(page.rows);
    added += page.rows[0]?.length ?? 0;
    fromTicks += page.fromTicks;
    listener.reached((until - startMs) / (endMs - startMs));
  }
  const { files, firstMs, lastMs } = store;
  return { files, added, asks, fromTicks: asks === 'ticks' ? fromTicks : null, firstMs, lastMs };
}

/** A store never has asks of two origins. @param kept those of the store @throws PullRefusedError */
function asksFor(order: PullOrder, kept: BarAsks | null): BarAsks {
  const { symbol, folder, asks = kept ?? 'ticks' } = order;
  if (kept === null || kept === asks) return asks;
  throw new PullRefusedError(
    `${folder} has bars of ${symbol} with asks from ${originText[kept]}: continue them with --asks ${kept}, or use another --store`,
  );
}

const originText = { spread: 'the spread', ticks: 'ticks' } as const;

/** The instant before which prices no longer change: the minute, or the instant, of the last quote. */
async function completeUntil(reads: GatewayReads, symbol: string, kind: PullOrder['kind']): Promise<number> {
  const tick = await reads.symbolInfoTick(symbol);
  const timeMs = utcMsOf(tick);
  return kind === 'ticks' ? timeMs : Math.floor(timeMs / minuteMs) * minuteMs;
}

/** What is read of one page: from an instant to before another, in UTC milliseconds. */
interface PageOrder {
  readonly reads: GatewayReads;
  readonly symbol: string;
  readonly digits: number;
  readonly asks: keyof typeof askOrigins;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Page {
  /** By file. */
  readonly rows: readonly (readonly PriceRow[])[];
  /** Bars whose asks come from ticks. */
  readonly fromTicks: number;
}

async function tickPage(order: PageOrder): Promise<Page> {
  const ticks = (await ticksOf(order)).filter(({ bid, ask }) => bid > 0 && ask > 0);
  const cells = (...prices: readonly number[]): readonly string[] => prices.map((price) => price.toFixed(order.digits));
  return { rows: [ticks.map(({ timeMs, bid, ask }) => ({ timeMs, cells: cells(bid, ask) }))], fromTicks: 0 };
}

async function barPage(order: PageOrder): Promise<Page> {
  const { reads, symbol, digits, fromMs, toMs } = order;
  const bars = await reads.fetchDataRange(symbol, 'M1', new Date(fromMs), new Date(toMs - 1));
  const ticks = order.asks === 'ticks' ? await ticksByMinute(order, bars) : null;
  const row = (timeMs: number, { open, high, low, close }: Prices): PriceRow => {
    return { timeMs, cells: [open, high, low, close].map((price) => price.toFixed(digits)) };
  };
  let fromTicks = 0;
  const askRows = bars.map((bar) => {
    const openMs = openMsOf(bar);
    const asks = asksOf(bar, ticks?.get(openMs) ?? [], digits);
    if (asks !== null) fromTicks++;
    return row(openMs, asks ?? withSpread(bar, digits));
  });
  return { rows: [bars.map((bar) => row(openMsOf(bar), bar)), askRows], fromTicks };
}

function withSpread({ open, high, low, close, spread }: FullBarRecord, digits: number): Prices {
  const above = spread / 10 ** digits;
  return { open: open + above, high: high + above, low: low + above, close: close + above };
}

/**
 * The ticks of bars by the minute of their bar, an hour at a time, the last hour first. If that has none, the earlier ones are
 * not read: a broker drops its oldest ticks first, and a request for each hour of years takes long. Hours without bars are
 * not read either.
 */
async function ticksByMinute(
  order: PageOrder,
  bars: readonly FullBarRecord[],
): Promise<ReadonlyMap<number, TwoSided[]>> {
  const found = new Map<number, TwoSided[]>();
  const hours = new Set(bars.map((bar) => Math.floor(openMsOf(bar) / pageMs.ticks) * pageMs.ticks));
  for (const fromMs of [...hours].reverse()) {
    for (const tick of await ticksOf({ ...order, fromMs, toMs: fromMs + pageMs.ticks })) {
      const openMs = Math.floor(tick.timeMs / minuteMs) * minuteMs;
      const own = found.get(openMs);
      if (own) own.push(tick);
      else found.set(openMs, [tick]);
    }
    if (found.size === 0) break;
  }
  return found;
}

async function ticksOf({ reads, symbol, fromMs, toMs }: PageOrder): Promise<readonly TwoSided[]> {
  if (toMs - fromMs < 2) return [];
  // Both ends of a gateway's span are inside.
  const ticks = await reads.copyTicksRange(symbol, new Date(fromMs), new Date(toMs - 1), 'info');
  return ticks.map((tick) => ({ timeMs: utcMsOf(tick), bid: tick.bid, ask: tick.ask }));
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

/** A quote of both sides. */
interface TwoSided {
  /** UTC milliseconds. */
  readonly timeMs: number;
  readonly bid: number;
  readonly ask: number;
}

/** Open, high, low and close, in price. */
export type Prices = Pick<FullBarRecord, 'open' | 'high' | 'low' | 'close'>;

/**
 * The asks of a bar of bids, by the ticks of its time. Null unless the bids of these ticks make the bar: otherwise the broker has
 * not kept all of them, and the asks of the others are unknown.
 * @param digits of the symbol: prices are compared after rounding
 */
export function asksOf(bids: Prices, ticks: readonly TwoSided[], digits: number): Prices | null {
  if (ticks.length === 0 || ticks.some(({ bid, ask }) => bid <= 0 || ask < bid)) return null;
  const made = barOf(ticks.map(({ bid }) => bid));
  const isWhole = (['open', 'high', 'low', 'close'] as const).every(
    (name) => made[name].toFixed(digits) === bids[name].toFixed(digits),
  );
  return isWhole ? barOf(ticks.map(({ ask }) => ask)) : null;
}

function barOf(prices: readonly number[]): Prices {
  const [open = 0] = prices;
  let [high, low, close] = [open, open, open];
  for (const price of prices) {
    if (price > high) high = price;
    if (price < low) low = price;
    close = price;
  }
  return { open, high, low, close };
}
