import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { SetMessage } from './set-process';
import type { SetJob, SetOutcome } from './set-run';

/** A child process that runs sets: one that crashes or runs out of memory costs only its set. */
export class ProcessHost implements SetHost {
  private child: ChildProcess | null = null;
  private hasEnded = false;
  /** The bundle that the child has: it is the same for all sets of a search, and takes longer to send than all else. */
  private sent: SetJob['options']['bundle'];

  run(job: SetJob): Promise<SetOutcome | null> {
    if (this.hasEnded) return Promise.resolve(null);
    const child = this.started();
    return new Promise((resolve) => {
      const onMessage = (outcome: SetOutcome): void => settle(outcome);
      const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.child = null;
        const how = signal === null ? `with code ${code}` : `by ${signal}`;
        settle(this.hasEnded ? null : { error: `the process of this set ended ${how}`, isLost: true });
      };
      const settle = (outcome: SetOutcome | null): void => {
        child.off('message', onMessage).off('exit', onExit);
        resolve(outcome);
      };
      child.once('message', onMessage).once('exit', onExit);
      const { bundle, ...options } = job.options;
      const isKnown = bundle === this.sent;
      this.sent = bundle;
      child.send({ job: { ...job, options }, ...(isKnown ? {} : { bundle: bundle ?? null }) } satisfies SetMessage);
    });
  }

  end(): void {
    this.hasEnded = true;
    // A run cannot be interrupted otherwise, and nothing of it is kept.
    this.child?.kill('SIGKILL');
  }

  private started(): ChildProcess {
    if (this.child === null) this.sent = undefined;
    this.child ??= fork(join(__dirname, 'set-process.js'), {
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return this.child;
  }
}

/** A place where sets run, one at a time. */
export interface SetHost {
  /** Never throws. Null when the host was ended before the run was. */
  run(job: SetJob): Promise<SetOutcome | null>;
  /** Ends the run in progress, if any. */
  end(): void;
}
