import { type Clock } from '@libs/clock';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '@libs/files';
import { download, shownAddress } from './download';
import { type HostLog } from './host-events';
import { readInstallRecord, writeInstallRecord } from './install-record';
import { type Lifetime } from './lifetime';
import { InsecureAddressError } from './secure-fetch';
import { type SetupRun, type SetupRunner } from './setup-runner';
import { findTerminals, type TerminalPlaceOptions } from './terminal-place';

export interface InstallerOptions {
  /** TERMINAL_SETUP_URL. */
  readonly url: string | undefined;
  /** TERMINAL_SETUP_SHA256, in hexadecimal. */
  readonly sha256: string | undefined;
  /** TERMINAL_SETUP_ATTEMPTS. */
  readonly attempts: number;
  /** TERMINAL_SETUP_TIMEOUT: separately for the download and the run. */
  readonly timeoutMs: number;
  /** Where the installer is kept while it runs, and the record of what is installed. */
  readonly directory: string;
  readonly place: TerminalPlaceOptions;
}

export type InstallOutcome =
  | { readonly kind: 'present'; readonly executable: string }
  | { readonly kind: 'missing'; readonly reason: string; readonly retryable: boolean };

const pauseMs = 5_000;

/** Ensures that the terminal program is installed. An installer runs only if its checksum is configured and matches. */
export class Installer {
  constructor(
    private readonly options: InstallerOptions,
    private readonly setup: SetupRunner,
    private readonly clock: Clock,
    private readonly log: HostLog,
    private readonly lifetime: Lifetime,
  ) {}

  async ensure(): Promise<InstallOutcome> {
    const present = await this.present();
    if (present !== undefined) {
      this.log.event('terminal present', { executable: present });
      return { kind: 'present', executable: present };
    }
    const outcome = await this.install();
    if (outcome.kind === 'missing') this.log.event('terminal missing', { reason: outcome.reason });
    return outcome;
  }

  private async present(): Promise<string | undefined> {
    const [found, record] = await Promise.all([findTerminals(this.options.place), readInstallRecord(this.record)]);
    const recorded = found.find(({ executable }) => executable === record?.executable);
    if (this.options.url === undefined) return (recorded ?? found[0])?.executable;
    return record?.url === this.options.url ? recorded?.executable : undefined;
  }

  private async install(): Promise<InstallOutcome> {
    const { url, sha256, attempts } = this.options;
    if (url === undefined) return final('no terminal is installed and TERMINAL_SETUP_URL is not set');
    if (sha256 === undefined) return final('TERMINAL_SETUP_SHA256 is required with TERMINAL_SETUP_URL');
    let reason = '';
    for (let attempt = 1; attempt <= attempts && !this.lifetime.isOver; attempt++) {
      const outcome = await this.attempt(url, sha256.toLowerCase(), attempt);
      if (outcome.kind === 'present' || !outcome.retryable) return outcome;
      reason = outcome.reason;
      if (attempt < attempts) await this.lifetime.sleep(pauseMs);
    }
    return { kind: 'missing', reason: `${attempts} attempts failed; last error: ${reason}`, retryable: true };
  }

  private async attempt(url: string, sha256: string, attempt: number): Promise<InstallOutcome> {
    const path = join(this.options.directory, 'terminal-setup.exe');
    const around = { clock: this.clock, log: this.log, lifetime: this.lifetime };
    try {
      await makeFolders(this.options.directory);
      const fetched = await download(around, { url, path, timeoutMs: this.options.timeoutMs });
      if (fetched.sha256 !== sha256) {
        this.log.event('checksum mismatch', { expected: sha256, got: fetched.sha256, url: shownAddress(url) });
        return final(`checksum mismatch: TERMINAL_SETUP_SHA256 is ${sha256}, the download has ${fetched.sha256}`);
      }
      this.log.event('installer started', { attempt, of: this.options.attempts });
      return await this.settle(await this.setup.run(path, this.options.timeoutMs), url, sha256, attempt);
    } catch (error) {
      const reason = (error as Error).message;
      this.log.event('download failed', { attempt, of: this.options.attempts, reason });
      if (error instanceof InsecureAddressError) return final(`TERMINAL_SETUP_URL ${reason}`);
      return { kind: 'missing', reason: `download: ${reason}`, retryable: true };
    } finally {
      await rm(path, { force: true });
    }
  }

  private async settle(run: SetupRun, url: string, sha256: string, attempt: number): Promise<InstallOutcome> {
    if (run.kind === 'installed') {
      await writeInstallRecord(this.record, { url, sha256, executable: run.executable });
      this.log.event('terminal installed', { executable: run.executable });
      return { kind: 'present', executable: run.executable };
    }
    this.log.event(run.kind === 'timed out' ? 'installer timed out' : 'installer failed', {
      attempt,
      of: this.options.attempts,
      reason: run.reason,
    });
    return { kind: 'missing', reason: run.reason, retryable: true };
  }

  private get record(): string {
    return join(this.options.directory, 'install.json');
  }
}

function final(reason: string): InstallOutcome {
  return { kind: 'missing', reason, retryable: false };
}
