import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '@libs/clock';

const retryMs = 5_000;

/** `<state-dir>/control.port`: exists exactly while the control surface answers, and is written atomically. */
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
   * Writes the file now, or as soon as the disk accepts it: a full disk must not keep strategies from starting.
   * @param onFailure called with the error of each failed attempt
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
