import { setImmediate as nextTurn } from 'node:timers/promises';
import { timeframeSeconds, type BarColumns, type Column, type Timeframe } from '@libs/terminal-client';
import { BarRowWriter, hasValues, rowValues } from './bar-rows';

/** Bars per entry of the cache of written rows; entries are aligned to this many bars. */
const barsAPiece = 256;
/** Pieces written in one go before other requests get their turn: about a millisecond's work. */
const piecesAGo = 8;
/** Size of the cache of written rows in bytes, values included: several 10,000-bar answers. */
const rememberedBytes = 32 * 2 ** 20;

/** Open times in milliseconds: UTC with a `Z`, or server time without a zone while no offset is known. */
export interface BarOpens {
  readonly opens: Float64Array;
  readonly zone: 'Z' | '';
}

interface Piece {
  readonly values: Float64Array;
  readonly bytes: Buffer;
}

/** Key of the series; cached rows of one series are not valid for another. */
export interface Series {
  readonly symbol: string;
  readonly timeframe: Timeframe;
}

/**
 * Bars as pieces of JSON. Bots request the same bars repeatedly, of which only the last has changed; the bytes of an
 * entry are reused if and only if every value in it is unchanged.
 */
export class BarPieces {
  private readonly remembered = new Map<string, Piece>();
  private readonly writer = new BarRowWriter();
  private bytes = 0;

  /** The rows from `first` up to `end`, each preceded by a comma. @param opens as in {@link BarRowWriter.write} */
  async write(
    series: Series,
    bars: BarColumns,
    { opens, zone }: BarOpens,
    first = 0,
    end = bars.time.length,
  ): Promise<Buffer[]> {
    const pieces: Buffer[] = [];
    const span = (timeframeSeconds(series.timeframe) ?? 31 * 86_400) * barsAPiece;
    let written = 0;
    for (let from = first, to = first; from < end; from = to) {
      to = endOfPiece(bars.time, from, end, span);
      const key = `${series.symbol}\0${series.timeframe}\0${bars.time[from]}${zone}`;
      let piece = this.recall(key);
      if (!piece || !hasValues(piece.values, bars, opens, from, to)) {
        if (written++ % piecesAGo === piecesAGo - 1) await nextTurn();
        const text = this.writer.write(bars, opens, zone, from, to);
        piece = { values: rowValues(bars, opens, from, to), bytes: Buffer.from(text, 'latin1') };
        this.remember(key, piece);
      }
      pieces.push(piece.bytes);
    }
    return pieces;
  }

  private recall(key: string): Piece | undefined {
    const piece = this.remembered.get(key);
    if (piece) {
      this.remembered.delete(key);
      this.remembered.set(key, piece);
    }
    return piece;
  }

  private remember(key: string, piece: Piece): void {
    const before = this.remembered.get(key);
    if (before) this.forget(key, before);
    this.remembered.set(key, piece);
    this.bytes += sizeOf(piece);
    for (const [oldest, dropped] of this.remembered) {
      if (this.bytes <= rememberedBytes) break;
      this.forget(oldest, dropped);
    }
  }

  private forget(key: string, piece: Piece): void {
    this.remembered.delete(key);
    this.bytes -= sizeOf(piece);
  }
}

function endOfPiece(time: Column, from: number, end: number, span: number): number {
  const boundary = (Math.floor((time[from] ?? 0) / span) + 1) * span;
  let to = from + 1;
  while (to < end && (time[to] ?? 0) < boundary) to++;
  return to;
}

function sizeOf({ values, bytes }: Piece): number {
  return values.byteLength + bytes.length;
}
