import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `<state-dir>/control.port`: there exactly while the control surface answers, and never half written. */
export class ControlPortFile {
  private readonly file: string;

  constructor(stateDir: string) {
    this.file = join(stateDir, 'control.port');
  }

  async write(port: number): Promise<void> {
    await writeFile(`${this.file}.tmp`, `${port}\n`);
    await rename(`${this.file}.tmp`, this.file);
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true });
  }
}
