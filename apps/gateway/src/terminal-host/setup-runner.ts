import { type Clock } from '@libs/clock';
import { type Lifetime } from './lifetime';
import { endProcess } from './process-end';
import { type Command, type ProcessRunner, type RunningProcess } from './process-runner';
import { findTerminals, type FoundTerminal, type TerminalPlaceOptions } from './terminal-place';

export type SetupRun =
  | { readonly kind: 'installed'; readonly executable: string }
  | { readonly kind: 'failed' | 'timed out'; readonly reason: string };

export interface SetupRunnerOptions {
  /** Starts the installer file. */
  readonly command: (setupFile: string) => Command;
  readonly place: TerminalPlaceOptions;
  /** Ends processes that an installer left running (`wineserver -k`), if the system supports it. */
  readonly sweep: Command | undefined;
}

const pollMs = 1_000;
const graceMs = 5_000;
/** How long the program's file must be unchanged to count, while the installer runs and after it ended. */
const restingMs = { whileRunning: 30_000, onceGone: 3_000 };
/** Time for the file to appear: installers start a second program and return at once. */
const handedOverMs = 180_000;

/**
 * Runs an installer once. Success means that the program's file is on disk, new and no longer growing; the exit code
 * does not prove it.
 */
export class SetupRunner {
  constructor(
    private readonly options: SetupRunnerOptions,
    private readonly runner: ProcessRunner,
    private readonly clock: Clock,
    private readonly lifetime: Lifetime,
  ) {}

  async run(setupFile: string, timeoutMs: number): Promise<SetupRun> {
    const before = await findTerminals(this.options.place);
    const process = this.runner.start(this.options.command(setupFile));
    try {
      return await this.watch(process, before, timeoutMs);
    } finally {
      await endProcess(this.clock, process, graceMs);
      if (this.options.sweep) await this.runner.start(this.options.sweep).exited;
    }
  }

  private async watch(process: RunningProcess, before: FoundTerminal[], timeoutMs: number): Promise<SetupRun> {
    const startMs = this.clock.monotonicMs();
    let seen: { terminal: FoundTerminal; sinceMs: number } | undefined;
    let goneMs: number | undefined;
    for (;;) {
      await this.lifetime.sleep(pollMs);
      const nowMs = this.clock.monotonicMs();
      if (this.lifetime.isOver) return { kind: 'failed', reason: 'stopped' };
      const terminal = (await findTerminals(this.options.place)).find((found) => isNew(found, before));
      if (!terminal) seen = undefined;
      else if (!seen || !isSame(seen.terminal, terminal)) seen = { terminal, sinceMs: nowMs };
      if (!process.isRunning()) goneMs ??= nowMs;
      const restMs = goneMs === undefined ? restingMs.whileRunning : restingMs.onceGone;
      if (seen && nowMs - seen.sinceMs >= restMs) return { kind: 'installed', executable: seen.terminal.executable };
      if (goneMs !== undefined && !seen) {
        const { code, signal, failure } = await process.exited;
        if (failure !== undefined) return { kind: 'failed', reason: `the installer cannot be started: ${failure}` };
        if (code !== 0) return { kind: 'failed', reason: `the installer ended with ${code ?? signal ?? 'an error'}` };
        if (nowMs - goneMs >= handedOverMs) return unchanged(before);
      }
      if (nowMs - startMs >= timeoutMs) {
        return {
          kind: 'timed out',
          reason: `no terminal was installed within ${timeoutMs / 1_000} s of the start of the installer`,
        };
      }
    }
  }
}

/** The installer succeeded without a change: the terminal was already installed, or the installer did nothing. */
function unchanged([newest]: FoundTerminal[]): SetupRun {
  if (newest) return { kind: 'installed', executable: newest.executable };
  return { kind: 'failed', reason: 'the installer succeeded but did not install a terminal' };
}

function isNew(found: FoundTerminal, before: FoundTerminal[]): boolean {
  return !before.some((old) => isSame(old, found));
}

function isSame(one: FoundTerminal, other: FoundTerminal): boolean {
  return one.executable === other.executable && one.touchedMs === other.touchedMs && one.bytes === other.bytes;
}
