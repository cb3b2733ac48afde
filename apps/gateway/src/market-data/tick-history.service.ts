import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TickColumns } from '@libs/terminal-client';
import { BrokerClock } from '../terminal/broker-clock';
import { ServerTime } from '../server-time/server-time';
import { UnknownSymbols } from '../symbols/unknown-symbols';
import { TerminalAccess } from '../terminal/terminal-access';
import { instantOf, serverWindow } from './server-window';
import { TickRowWriter } from './tick-rows';
import { TickSlices } from './tick-slices';
import { packTicks } from './packed-rows';
import type { TicksByTime, TicksFrom } from './ticks.request';

/** Rows written in one go before other requests get their turn: about a millisecond's work. */
const rowsAPiece = 1_000;
const comma = 1;
const dayMs = 86_400_000;

/** Ticks that were read, with the rows of them that belong to the answer. */
interface ReadTicks {
  readonly ticks: TickColumns;
  readonly rows: readonly number[];
}

/** Historical ticks, read and written slice by slice, so that a month is never in memory at once. */
@Injectable()
export class TickHistoryService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly unknown: UnknownSymbols,
    private readonly clock: BrokerClock,
  ) {}

  /**
   * The body of the collection, produced while it is sent.
   * @throws ApiError not_found for a symbol that the broker does not have
   */
  async *byTime(request: TicksByTime, most = Infinity): AsyncGenerator<Buffer> {
    const { basis } = serverWindow(this.serverTime, request.span);
    const writer = new TickRowWriter();
    let total = 0;
    let head = `{"ok":true,"time_basis":"${basis}","data":[`;
    for await (const { ticks, rows } of this.slicesOf(request, most)) {
      for (let first = 0; first < rows.length; first += rowsAPiece) {
        let text = '';
        for (const row of rows.slice(first, first + rowsAPiece)) {
          const utcMs = basis === 'utc' ? instantOf(this.serverTime, basis, ticks.time_msc[row] ?? NaN) : null;
          const line = writer.write(ticks, row, utcMs);
          text += total++ === 0 ? line.slice(comma) : line;
        }
        yield Buffer.from(head + text, 'latin1');
        head = '';
        await nextTurn();
      }
    }
    yield Buffer.from(`${head}],"total":${total}}`, 'latin1');
  }

  /** As {@link byTime}, packed. */
  async *packedByTime(request: TicksByTime, most = Infinity): AsyncGenerator<Buffer> {
    for await (const { ticks, rows } of this.slicesOf(request, most)) {
      yield packTicks(ticks, rows);
      await nextTurn();
    }
  }

  /** The request of the first ticks from a time on as one of a span, which ends a day from now at the latest. */
  spanFrom({ symbol, flags, fromMs, clock, longestMs }: TicksFrom): TicksByTime {
    const toMs = Math.max(fromMs, Math.min(fromMs + longestMs, this.clock.nowMs() + dayMs));
    return { symbol, flags, span: { fromMs, toMs, clock } };
  }

  /** The ticks of a span, slice by slice, oldest first, and `most` of them at most. */
  private async *slicesOf({ symbol, span, flags }: TicksByTime, most: number): AsyncGenerator<ReadTicks> {
    const { fromMs, toMs, basis } = serverWindow(this.serverTime, span);
    const slices = new TickSlices();
    let left = most;
    for (let from = fromMs, to = fromMs; from <= toMs && left > 0; from = to + 1) {
      to = slices.endOf(from, toMs);
      const ticks = await this.read(symbol, from, to, flags);
      slices.held(ticks.time_msc.length);
      const rows: number[] = [];
      for (let row = 0; row < ticks.time_msc.length && rows.length < left; row++) {
        const instant = instantOf(this.serverTime, basis, ticks.time_msc[row] ?? NaN);
        if (instant >= span.fromMs && instant <= span.toMs) rows.push(row);
      }
      left -= rows.length;
      yield { ticks, rows };
    }
  }

  private async read(symbol: string, fromMsc: number, toMsc: number, flags: number): Promise<TickColumns> {
    const ticks = await this.terminal.read(async (terminal) => {
      const first = await terminal.copyTicksRange(symbol, fromMsc, toMsc, flags);
      // Some terminals return data only for symbols in Market Watch.
      if (first !== null || !(await terminal.symbolSelect(symbol, true))) return first;
      return terminal.copyTicksRange(symbol, fromMsc, toMsc, flags);
    });
    if (ticks === null) throw await this.unknown.error([symbol]);
    this.unknown.noteShown(symbol);
    return ticks;
  }
}
