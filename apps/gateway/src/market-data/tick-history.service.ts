import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TickColumns } from '@libs/terminal-client';
import { ServerTime } from '../server-time/server-time';
import { UnknownSymbols } from '../symbols/unknown-symbols';
import { TerminalAccess } from '../terminal/terminal-access';
import { instantOf, serverWindow } from './server-window';
import { TickRowWriter } from './tick-rows';
import { TickSlices } from './tick-slices';
import type { TicksByTime } from './ticks.request';

/** Rows written in one go before other requests get their turn: about a millisecond's work. */
const rowsAPiece = 1_000;
const comma = 1;

/** Historical ticks, read and written slice by slice, so that a month is never in memory at once. */
@Injectable()
export class TickHistoryService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly unknown: UnknownSymbols,
  ) {}

  /**
   * The body of the collection, produced while it is sent.
   * @throws ApiError not_found for a symbol that the broker does not have
   */
  async *byTime({ symbol, span, flags }: TicksByTime): AsyncGenerator<Buffer> {
    const { fromMs, toMs, basis } = serverWindow(this.serverTime, span);
    const slices = new TickSlices();
    const writer = new TickRowWriter();
    let total = 0;
    let head = `{"ok":true,"time_basis":"${basis}","data":[`;
    for (let from = fromMs, to = fromMs; from <= toMs; from = to + 1) {
      to = slices.endOf(from, toMs);
      const ticks = await this.read(symbol, from, to, flags);
      slices.held(ticks.time_msc.length);
      for (let row = 0; row < ticks.time_msc.length; row += rowsAPiece) {
        let text = '';
        for (let at = row; at < Math.min(row + rowsAPiece, ticks.time_msc.length); at++) {
          const instant = instantOf(this.serverTime, basis, ticks.time_msc[at] ?? NaN);
          if (instant < span.fromMs || instant > span.toMs) continue;
          const line = writer.write(ticks, at, basis === 'utc' ? instant : null);
          text += total++ === 0 ? line.slice(comma) : line;
        }
        yield Buffer.from(head + text, 'latin1');
        head = '';
        await nextTurn();
      }
    }
    yield Buffer.from(`${head}],"total":${total}}`, 'latin1');
  }

  private async read(symbol: string, fromMsc: number, toMsc: number, flags: number): Promise<TickColumns> {
    const ticks = await this.terminal.read(async (terminal) => {
      const first = await terminal.copyTicksRange(symbol, fromMsc, toMsc, flags);
      // Some terminals return data only for symbols in Market Watch.
      if (first !== null || !(await terminal.symbolSelect(symbol, true))) return first;
      return terminal.copyTicksRange(symbol, fromMsc, toMsc, flags);
    });
    if (ticks === null) throw await this.unknown.error(symbol);
    return ticks;
  }
}
