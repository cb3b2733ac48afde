import { type Clock } from '@libs/clock';
import { type HostState, type TerminalHostStatus } from './host-status';

type Measured = Pick<TerminalHostStatus, 'terminal_launches' | 'bridge' | 'desktop'>;

/** Keeps the status of the host. */
export class HostStanding {
  executable: string | null = null;
  /** The address of the last login, null for a manual login. */
  candidate: string | null = null;
  failedRounds = 0;
  message = 'starting';
  private current: HostState = 'starting';
  private sinceMs: number;
  private retryAtMs: number | undefined;

  constructor(private readonly clock: Clock) {
    this.sinceMs = clock.nowMs();
  }

  get state(): HostState {
    return this.current;
  }

  enter(state: HostState, message: string): void {
    const nowMs = this.clock.nowMs();
    if (state !== this.current) this.sinceMs = nowMs;
    if (state !== 'logged_in') this.candidate = null;
    this.current = state;
    this.message = message;
    this.retryAtMs = undefined;
  }

  /** Sets the time of the next automatic attempt. */
  retriesIn(delayMs: number): void {
    this.retryAtMs = this.clock.nowMs() + delayMs;
  }

  status({ trying, ...measured }: Measured & { trying: string | null }): TerminalHostStatus {
    return {
      state: this.current,
      message: this.message,
      since: new Date(this.sinceMs).toISOString(),
      executable: this.executable,
      candidate: trying ?? this.candidate,
      failed_rounds: this.failedRounds,
      next_retry_at: this.retryAtMs === undefined ? null : new Date(this.retryAtMs).toISOString(),
      ...measured,
    };
  }
}
