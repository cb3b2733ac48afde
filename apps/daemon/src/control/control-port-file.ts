import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@libs/clock';

const retryMs = 5_000;

/** `<state-dir>/control.port`: there exactly while the control surface answers, and never half written. */
export class ControlPortFile {
  private readonly file: string;
  private retry: Timer | null = null;

  constructor(
    stateDir: string,
    private readonly clock: Clock,
  ) {
    this.file = join(stateDir, 'control.port');
  }

  /**
   * Writes it now, or as soon as the disk takes it: a full one must not keep open positions from their strategies.
   * @param onFailure hears why it is not there yet, each time
   */
  async write(port: number, onFailure: (error: unknown) => void): Promise<void> {
    try {
      await writeFile(`${this.file}.tmp`, `${port}\n`);
      await rename(`${this.file}.tmp`, this.file);
    } catch (error) {
      onFailure(error);
      this.retry = this.clock.setTimer(retryMs, () => void this.write(port, onFailure));
    }
  }

  async remove(): Promise<void> {
    this.retry?.cancel();
    await rm(this.file, { force: true });
  }
}
