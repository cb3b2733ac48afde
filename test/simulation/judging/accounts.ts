import {
  sentLongAfterSwitch,
  sentToOtherAccount,
  sentWithoutReading,
  type AccountReading,
} from '../invariants/account';
import type { SendRecord } from '../sends';
import type { LastPause } from './last-pause';
import type { JudgeWorld, Report } from './world';

/** How long the writes of an intent take at most, those that they wait for included: usually, and on slow disks. */
const writesMs = { usual: 50, slow: 5_000 } as const;

/** Which account each run of the gateway has read, and since when the terminal has another one. */
export class Accounts {
  private readonly lastRead = new Map<number, AccountReading>();
  private otherSinceMs: number | null = null;

  constructor(
    private readonly world: JudgeWorld,
    private readonly pause: LastPause,
    private readonly report: Report,
  ) {}

  /** The terminal is logged in to another account from now on; null: to its own again. */
  other(sinceMs: number | null): void {
    this.otherSinceMs = sinceMs;
  }

  read(run: number, login: number | null): void {
    this.lastRead.set(run, { login, atMs: this.world.time.elapsedMs });
  }

  /** A probe reads the terminal and the account at once, and ends with the later answer. */
  terminalRead(run: number, beganMs: number): void {
    const reading = this.lastRead.get(run);
    if (reading && reading.atMs >= beganMs) this.read(run, reading.login);
  }

  sending(send: SendRecord): void {
    const last = this.lastRead.get(send.run) ?? null;
    this.report('nothing goes to another account', sentToOtherAccount(send, last, this.world.login));
    this.report('the account is read before each send', sentWithoutReading(send, last, this.readMarginMs(send)));
  }

  executed(send: SendRecord): void {
    this.report(
      'nothing goes to another account',
      sentLongAfterSwitch(send, this.otherSinceMs, this.world.login, this.pause.nearMs(send.atMs)),
    );
  }

  /** What lies between the reading of the account and the send that it lets pass: writes to two disks. */
  private readMarginMs(send: SendRecord): number {
    const { time, diskCallMs } = this.world;
    const disksMs = diskCallMs() === 0 ? writesMs.usual : writesMs.slow;
    return disksMs + this.pause.pastMs(send.atMs, time.elapsedMs);
  }
}
