import type { Timer } from '@libs/clock';
import { LastErrorCode, type LastError, type TerminalClient } from '@libs/terminal-client';
import type { ProgramLife } from './instance-clock';
import type { LinkWeather } from './link-weather';
import type { TerminalLane } from './terminal-lane';
import type { VirtualTime } from './virtual-time';

/** What the world around a wire provides. */
export interface WireWorld {
  readonly time: VirtualTime;
  readonly life: ProgramLife;
  readonly weather: LinkWeather;
  /** One call at a time, whichever run of the gateway made it. */
  readonly lane: TerminalLane;
  /** A session with the simulated terminal. */
  readonly session: TerminalClient;
}

/** One call on the wire. Its answer comes once: by the far side, by its deadline, or by the end of the connection. */
interface Call {
  readonly settle: (outcome: Outcome) => void;
  readonly deadline: Timer;
}

/** How a call ended. */
export type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'none'; readonly failure: 'timeout' | 'disconnected'; readonly lastError: LastError };

/** One call and its way to the terminal and back. */
export interface Way {
  readonly deadlineMs: number;
  readonly requestMs: number;
  readonly answerMs: number;
  readonly requestLost: boolean;
  readonly answerLost: boolean;
  readonly run: (session: TerminalClient) => Promise<unknown>;
  /** The request never reaches the terminal. */
  readonly lost: () => void;
  /** The terminal did not begin it in time. */
  readonly expired: () => void;
  /** The answer came after the deadline. */
  readonly late: (value: unknown) => void;
}

const timedOut: LastError = { code: LastErrorCode.INTERNAL_FAIL_TIMEOUT, message: 'no answer in time' };
export const cut: LastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'the link was cut' };
export const down: LastError = { code: LastErrorCode.INTERNAL_FAIL_CONNECT, message: 'the link is down' };

/** The connection to the terminal: it delays calls, loses them, and breaks. */
export class LinkWire {
  private up = false;
  private connection = 0;
  private readonly onWire = new Set<Call>();

  constructor(private readonly world: WireWorld) {}

  get isUp(): boolean {
    return this.up;
  }

  /** The next connection. */
  open(): void {
    this.connection += 1;
    this.up = true;
  }

  /** Nothing more comes back: calls on the wire end at their deadlines. */
  close(): void {
    this.up = false;
  }

  /** The connection is gone; what is on the wire may still reach the terminal. */
  break(): void {
    this.up = false;
    for (const call of [...this.onWire]) {
      call.deadline.cancel();
      call.settle({ kind: 'none', failure: 'disconnected', lastError: cut });
    }
    this.onWire.clear();
  }

  call(way: Way): Promise<Outcome> {
    const { time, life, lane, weather, session } = this.world;
    const connection = this.connection;
    return new Promise((resolve) => {
      let isOver = false;
      const call: Call = {
        settle: (outcome) => {
          isOver = true;
          this.onWire.delete(call);
          life.reach(() => resolve(outcome));
        },
        deadline: time.schedule(way.deadlineMs, () => {
          if (!isOver) call.settle({ kind: 'none', failure: 'timeout', lastError: timedOut });
        }),
      };
      this.onWire.add(call);
      const answer = (outcome: Outcome): void => {
        if (way.answerLost) return;
        time.schedule(way.answerMs, () => {
          if (!this.isOpen(connection)) return;
          call.deadline.cancel();
          if (!isOver) call.settle(outcome);
          else if (outcome.kind === 'answer') life.reach(() => way.late(outcome.value));
        });
      };
      if (way.requestLost) return;
      time.schedule(way.requestMs, () => {
        // The far side reads what is left of a broken connection, or does not.
        const isBroken = !this.isOpen(connection) || life.isOver;
        if (isBroken && !weather.arrivesThoughBroken()) return way.lost();
        lane.push({
          maxWaitMs: way.deadlineMs,
          run: () =>
            way.run(session).then(
              (value) => answer({ kind: 'answer', value }),
              (error: unknown) => answer({ kind: 'error', error }),
            ),
          expired: way.expired,
        });
      });
    });
  }

  private isOpen(connection: number): boolean {
    return connection === this.connection && this.up;
  }
}
