import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Wine prefix of its own, in a folder that is removed with it. */
export class WinePrefix {
  readonly home = mkdtempSync(join(tmpdir(), 'genuine-'));
  readonly driveC = join(this.home, 'wine/drive_c');
  readonly env: Readonly<Record<string, string>> = {
    PATH: process.env['PATH'] ?? '',
    HOME: this.home,
    WINEPREFIX: join(this.home, 'wine'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=d',
  };

  constructor() {
    execFileSync('wineboot', ['--init'], { env: this.env, stdio: 'ignore' });
    // Its desktop was made without a display. While it lasts, programs that have a display get no windows either.
    this.endSession();
  }

  /** Ends what still runs in the prefix and removes it. */
  remove(): void {
    this.endSession();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** Ends every program of the prefix, and waits until the last one has ended. */
  private endSession(): void {
    spawnSync('wineserver', ['-k'], { env: this.env, stdio: 'ignore' });
    spawnSync('wineserver', ['-w'], { env: this.env, stdio: 'ignore' });
  }
}
