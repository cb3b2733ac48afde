import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { BarColumns, Column } from '@libs/terminal-client';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { BarPieces, type Series } from './bar-pieces';
import type { BarsByPosition } from './bars.request';

const comma = 1;

/** Bars, from the terminal's columns to the bytes of the answer. */
@Injectable()
export class BarService {
  private readonly pieces = new BarPieces();

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
  ) {}

  /**
   * The body of a whole collection, in pieces.
   * @throws ApiError not_found for a symbol the broker does not have
   */
  async byPosition({ symbol, timeframe, start, count }: BarsByPosition): Promise<Buffer[]> {
    const bars = await this.terminal.read(async (terminal) => {
      const first = await terminal.copyRatesFromPos(symbol, timeframe, start, count);
      // Some terminals answer only for symbols in Market Watch.
      if (first !== null || !(await terminal.symbolSelect(symbol, true))) return first;
      return terminal.copyRatesFromPos(symbol, timeframe, start, count);
    });
    if (bars === null) throw new ApiError('not_found', `no symbol ${symbol.slice(0, 64)}`);
    return this.body({ symbol, timeframe }, bars);
  }

  private async body(series: Series, bars: BarColumns): Promise<Buffer[]> {
    const { opens, zone } = this.opensOf(bars.time);
    const rows = await this.pieces.write(series, bars, opens, zone);
    const [first, ...rest] = rows;
    const basis = zone === 'Z' ? 'utc' : 'server';
    return [
      Buffer.from(`{"ok":true,"time_basis":"${basis}","total":${bars.time.length},"data":[`),
      ...(first ? [first.subarray(comma), ...rest] : []),
      Buffer.from(']}'),
    ];
  }

  /** The opens in milliseconds of UTC, or of the server's clock while no offset is known. */
  private opensOf(time: Column): { opens: Float64Array; zone: 'Z' | '' } {
    const opens = new Float64Array(time.length);
    const known = this.serverTime.toUtcMs(0) !== null;
    for (let row = 0; row < opens.length; row++) {
      const serverMs = (time[row] ?? NaN) * 1_000;
      opens[row] = known ? (this.serverTime.toUtcMs(serverMs) ?? serverMs) : serverMs;
    }
    return { opens, zone: known ? 'Z' : '' };
  }
}
