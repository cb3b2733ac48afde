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
  /** Ends whatever an installer has left running (`wineserver -k`), where the system has such a thing. */
  readonly sweep: Command | undefined;
}

const POLL_MS = 1_000;
const GRACE_MS = 5_000;
/** The program's file has to rest this long before it counts, while the installer still runs and once it is gone. */
const RESTING_MS = { whileRunning: 30_000, onceGone: 3_000 };
/** Installers hand over to a second program and return at once: how long that one may take to show a file. */
const HANDED_OVER_MS = 180_000;

/** Runs an installer once. Success is the program's file on disk, new and no longer growing; the exit code alone is not. */
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
      await endProcess(this.clock, process, GRACE_MS);
      if (this.options.sweep) await this.runner.start(this.options.sweep).exited;
    }
  }

  private async watch(process: RunningProcess, before: FoundTerminal[], timeoutMs: number): Promise<SetupRun> {
    const startMs = this.clock.monotonicMs();
    let seen: { terminal: FoundTerminal; sinceMs: number } | undefined;
    let goneMs: number | undefined;
    for (;;) {
      await this.lifetime.sleep(POLL_MS);
      const nowMs = this.clock.monotonicMs();
      if (this.lifetime.isOver) return { kind: 'failed', reason: 'stopped' };
      const terminal = (await findTerminals(this.options.place)).find((found) => isNew(found, before));
      if (!terminal) seen = undefined;
      else if (!seen || !isSame(seen.terminal, terminal)) seen = { terminal, sinceMs: nowMs };
      if (!process.isRunning()) goneMs ??= nowMs;
      const restMs = goneMs === undefined ? RESTING_MS.whileRunning : RESTING_MS.onceGone;
      if (seen && nowMs - seen.sinceMs >= restMs) return { kind: 'installed', executable: seen.terminal.executable };
      if (goneMs !== undefined && !seen) {
        const { code, signal, failure } = await process.exited;
        if (failure !== undefined) return { kind: 'failed', reason: `the installer cannot be started: ${failure}` };
        if (code !== 0) return { kind: 'failed', reason: `the installer ended with ${code ?? signal ?? 'an error'}` };
        if (nowMs - goneMs >= HANDED_OVER_MS) return unchanged(before);
      }
      if (nowMs - startMs >= timeoutMs) {
        return { kind: 'timed out', reason: `no terminal ${timeoutMs / 1_000} s after the installer was started` };
      }
    }
  }
}

/** An installer that ended well and touched nothing: it found its terminal there already, or it did nothing at all. */
function unchanged([newest]: FoundTerminal[]): SetupRun {
  if (newest) return { kind: 'installed', executable: newest.executable };
  return { kind: 'failed', reason: 'the installer ended well, but there is no terminal' };
}

function isNew(found: FoundTerminal, before: FoundTerminal[]): boolean {
  return !before.some((old) => isSame(old, found));
}

function isSame(one: FoundTerminal, other: FoundTerminal): boolean {
  return one.executable === other.executable && one.touchedMs === other.touchedMs && one.bytes === other.bytes;
}
