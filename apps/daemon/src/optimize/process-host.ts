import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { SetHost } from './set-host';
import type { SetJob, SetOutcome } from './set-run';

/** A child process that runs sets: one that crashes or runs out of memory costs only its set. */
export class ProcessHost implements SetHost {
  private child: ChildProcess | null = null;
  private hasEnded = false;

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
      child.send(job);
    });
  }

  end(): void {
    this.hasEnded = true;
    // A run cannot be interrupted otherwise, and nothing of it is kept.
    this.child?.kill('SIGKILL');
  }

  private started(): ChildProcess {
    this.child ??= fork(join(__dirname, 'set-process.js'), {
      ...{ env: {}, execArgv: [], serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    });
    return this.child;
  }
}
