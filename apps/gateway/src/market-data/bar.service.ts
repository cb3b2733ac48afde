import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import {
  timeframeSeconds,
  type BarColumns,
  type Column,
  type TerminalClient,
  type Timeframe,
} from '@libs/terminal-client';
import { ServerTime } from '../server-time/server-time';
import { UnknownSymbols } from '../symbols/unknown-symbols';
import { BadPrices } from '../terminal/bad-prices';
import { TerminalAccess } from '../terminal/terminal-access';
import { BarPieces, type BarOpens } from './bar-pieces';
import { barsUpTo, partOf } from './bars-up-to';
import type { BarsByPosition, BarsByTime, BarsUpTo } from './bars.request';
import { packBars } from './packed-rows';
import { instantOf, serverWindow } from './server-window';
import { SharedWork } from './shared-work';

const comma = 1;
/** Bars per read of the terminal: a millisecond or two of work for both sides. */
const barsASlice = 1_440;

/** Bars that were read, of which the rows from `first` up to `end` belong to the answer. */
interface ReadBars {
  readonly bars: BarColumns;
  readonly opens: BarOpens;
  readonly first: number;
  readonly end: number;
}

/** Converts the terminal's bars to the bytes of the answer: JSON, or packed rows. */
@Injectable()
export class BarService {
  private readonly pieces = new BarPieces();
  private readonly shared = new SharedWork<Buffer[]>();

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly unknown: UnknownSymbols,
    private readonly badPrices: BadPrices,
  ) {}

  /**
   * The body of a complete collection, in pieces.
   * @throws ApiError not_found for a symbol that the broker does not have
   */
  byPosition(request: BarsByPosition): Promise<Buffer[]> {
    const { symbol, timeframe, start, count } = request;
    return this.shared.once(`${symbol} ${timeframe} ${start} ${count}`, () => this.readPosition(request));
  }

  /**
   * The body of the bars that open in a span, produced slice by slice while it is sent, so a span of any length works.
   * @throws ApiError not_found for a symbol that the broker does not have
   */
  async *byTime(request: BarsByTime): AsyncGenerator<Buffer> {
    const { symbol, timeframe, span } = request;
    const { basis } = serverWindow(this.serverTime, span);
    let total = 0;
    let isFirst = true;
    let head: Buffer | null = Buffer.from(`{"ok":true,"time_basis":"${basis}","data":[`);
    for await (const { bars, opens, first, end } of this.slicesOf(request)) {
      if (head) yield head;
      head = null;
      for (const piece of await this.pieces.write({ symbol, timeframe }, bars, opens, first, end)) {
        yield isFirst ? piece.subarray(comma) : piece;
        isFirst = false;
      }
      total += end - first;
      await nextTurn();
    }
    if (head) yield head;
    yield Buffer.from(`],"total":${total}}`);
  }

  /** As {@link byPosition}, packed. */
  async packedByPosition({ symbol, timeframe, start, count }: BarsByPosition): Promise<Buffer[]> {
    return [packBars(await this.readBack(symbol, timeframe, start, count))];
  }

  /** As {@link byTime}, packed. */
  async *packedByTime(request: BarsByTime): AsyncGenerator<Buffer> {
    for await (const { bars, first, end } of this.slicesOf(request)) yield packBars(bars, first, end);
  }

  /**
   * The body of the last bars that open at a time or before it.
   * @throws ApiError not_found for a symbol that the broker does not have
   */
  async upTo(request: BarsUpTo): Promise<Buffer[]> {
    const { bars, basis } = await this.readUpTo(request);
    return this.collection(request, bars, basis);
  }

  /** As {@link upTo}, packed. */
  async packedUpTo(request: BarsUpTo): Promise<Buffer[]> {
    return [packBars((await this.readUpTo(request)).bars)];
  }

  private async *slicesOf({ symbol, timeframe, span }: BarsByTime): AsyncGenerator<ReadBars> {
    const { fromMs, toMs, basis } = serverWindow(this.serverTime, span);
    const lastSecond = Math.floor(toMs / 1_000);
    const sliceSeconds = (timeframeSeconds(timeframe) ?? 31 * 86_400) * barsASlice;
    for (let from = Math.ceil(fromMs / 1_000); from <= lastSecond; from += sliceSeconds) {
      const to = Math.min(lastSecond, from + sliceSeconds - 1);
      const bars = await this.read(symbol, (terminal) => terminal.copyRatesRange(symbol, timeframe, from, to));
      const opens = this.opensOf(bars.time, basis);
      const [first, end] = rowsInside(opens.opens, span.fromMs, span.toMs);
      yield { bars, opens, first, end };
    }
  }

  private async readUpTo({ symbol, timeframe, count, lastMs, clock }: BarsUpTo) {
    const { toMs, basis } = serverWindow(this.serverTime, { fromMs: lastMs, toMs: lastMs, clock });
    const bars = await barsUpTo(timeframe, count, Math.floor(toMs / 1_000), async (from, to) => {
      const read = await this.read(symbol, (terminal) => terminal.copyRatesRange(symbol, timeframe, from, to));
      const [first, end] = rowsInside(this.opensOf(read.time, basis).opens, -Infinity, lastMs);
      return partOf(read, first, end);
    });
    return { bars, basis };
  }

  private readBack(symbol: string, timeframe: Timeframe, start: number, count: number): Promise<BarColumns> {
    return this.read(symbol, (terminal) => terminal.copyRatesFromPos(symbol, timeframe, start, count));
  }

  private async readPosition(request: BarsByPosition): Promise<Buffer[]> {
    const { symbol, timeframe, start, count } = request;
    const bars = await this.readBack(symbol, timeframe, start, count);
    return this.collection(request, bars, this.serverTime.toUtcMs(0) === null ? 'server' : 'utc');
  }

  private async collection(
    { symbol, timeframe }: Pick<BarsByPosition, 'symbol' | 'timeframe'>,
    bars: BarColumns,
    basis: 'utc' | 'server',
  ): Promise<Buffer[]> {
    const [first, ...rest] = await this.pieces.write({ symbol, timeframe }, bars, this.opensOf(bars.time, basis));
    return [
      Buffer.from(`{"ok":true,"time_basis":"${basis}","total":${bars.time.length},"data":[`),
      ...(first ? [first.subarray(comma), ...rest] : []),
      Buffer.from(']}'),
    ];
  }

  private async read(
    symbol: string,
    call: (terminal: TerminalClient) => Promise<BarColumns | null>,
  ): Promise<BarColumns> {
    const bars = await this.terminal.read(async (terminal) => {
      const first = await call(terminal);
      // Some terminals return data only for symbols in Market Watch.
      if (first !== null || !(await terminal.symbolSelect(symbol, true))) return first;
      return call(terminal);
    });
    if (bars === null) throw await this.unknown.error([symbol]);
    this.unknown.noteShown(symbol);
    if (!this.badPrices.inBars(bars)) return bars;
    throw new ApiError('terminal_unavailable', `the terminal shows bars of ${symbol} with a price of 0`, {
      details: { reason: 'no_price' },
    });
  }

  private opensOf(time: Column, basis: 'utc' | 'server'): BarOpens {
    const opens = new Float64Array(time.length);
    for (let row = 0; row < opens.length; row++) {
      opens[row] = instantOf(this.serverTime, basis, (time[row] ?? NaN) * 1_000);
    }
    return { opens, zone: basis === 'utc' ? 'Z' : '' };
  }
}

function rowsInside(opens: Float64Array, fromMs: number, toMs: number): [number, number] {
  let first = 0;
  let end = opens.length;
  while (first < end && (opens[first] ?? 0) < fromMs) first++;
  while (end > first && (opens[end - 1] ?? 0) > toMs) end--;
  return [first, end];
}
