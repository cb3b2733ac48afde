import type { Files } from '@libs/files';
import type { BarEvent } from '../core/strategy-event';
import { renderBarLine } from './bar-line';
import { LineFile, type LineOwner } from './line-file';
import type { StrategyLog } from './strategy-log';

/**
 * The live bars that one strategy has handled, a line each, so that a comparison with a backtest can replay them. It is
 * written in the background; what cannot be written is lost, with a line in the log of the strategy.
 */
export class BarRecord implements LineOwner {
  private readonly lines: LineFile;
  /** What was written last may be cut off, by the end of an earlier process or by a full disk. */
  private isCutOff = true;
  private isFailing = false;

  constructor(
    path: string,
    private readonly log: Pick<StrategyLog, 'warning'>,
    files?: Files,
  ) {
    this.lines = new LineFile(path, this, files);
  }

  /**
   * @param stream such as `demo:EURUSD@M1`
   * @param afterMs open of the bar of the stream that was handled before, on the broker's clock in milliseconds
   */
  note(stream: string, afterMs: number | null, { bar, serverMs, closedMs }: BarEvent): void {
    // Two streams of a strategy may have the same bars.
    if (afterMs !== null && serverMs <= afterMs) return;
    const { open, high, low, close, tickVolume, lateMs } = bar;
    const prices = { open, high, low, close, tickVolume };
    if (this.isCutOff) this.lines.add('');
    this.isCutOff = false;
    this.lines.add(renderBarLine({ stream, afterMs, openMs: serverMs, closedMs, ...prices, lateMs }));
  }

  async flushed(): Promise<void> {
    await this.lines.flushed();
  }

  droppedLine(count: number): string {
    this.log.warning('received bars are not on record: they arrived faster than the disk could write them', { count });
    return '';
  }

  lost(error: unknown): void {
    this.isCutOff = true;
    if (!this.isFailing) {
      const problem = error instanceof Error ? error.message : String(error);
      this.log.warning('received bars cannot be recorded', { problem });
    }
    this.isFailing = true;
  }

  written(): void {
    this.isFailing = false;
  }
}
