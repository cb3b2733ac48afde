import type { BarEvent } from '../core/strategy-event';
import { timeframeMs } from '../core/timeframe';
import { digestOf, handledBarsText, type HandledBar, type HandledBars } from '../logs/handled-bars';
import type { StrategyLog } from '../logs/strategy-log';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Bars of one stream and one hour or day that have no line yet. */
interface Part {
  readonly number: number;
  readonly bars: HandledBar[];
  late: number;
}

/**
 * Writes to the log of a strategy which live bars it has handled, so that a comparison with a backtest can tell whether they
 * were the ones that the gateway has later: a line for each hour of the broker's clock, for bars of an hour or more for each day.
 */
export class HandledBarLog {
  private readonly parts = new Map<string, Part>();

  constructor(private readonly log: Pick<StrategyLog, 'debug'>) {}

  /** @param stream such as `demo:EURUSD@M1` */
  note(stream: string, { bar: { timeframe, open, high, low, close, lateMs }, serverMs }: BarEvent): void {
    const number = Math.floor(serverMs / ((timeframeMs(timeframe) ?? dayMs) < hourMs ? hourMs : dayMs));
    let part = this.parts.get(stream);
    if (part && part.number !== number) this.write(stream, part);
    if (part?.number !== number) this.parts.set(stream, (part = { number, bars: [], late: 0 }));
    // Two streams may have the same bars.
    if (part.bars.at(-1)?.serverMs === serverMs) return;
    part.bars.push({ serverMs, open, high, low, close });
    if (lateMs > 0) part.late++;
  }

  /** Writes what has no line yet: the strategy ends, or goes on as another version. */
  flush(): void {
    for (const [stream, part] of this.parts) this.write(stream, part);
    this.parts.clear();
  }

  private write(stream: string, { bars, late }: Part): void {
    const [first, last] = [bars[0], bars.at(-1)];
    if (!first || !last) return;
    const range = { firstServerMs: first.serverMs, lastServerMs: last.serverMs };
    const handled: HandledBars = { stream, ...range, bars: bars.length, late, digest: digestOf(bars) };
    this.log.debug(handledBarsText, handled);
  }
}
