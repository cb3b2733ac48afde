import type { HttpAnswer } from '../asks';
import { deniedWithoutLoss, lossSeen, sentOverLoss, type SeenLoss } from '../invariants/daily-loss';
import type { SendRecord } from '../sends';
import type { LastPause } from './last-pause';
import type { JudgeWorld, Report } from './world';

/** The account is read, and an intent written to two disks, before an entry is sent. */
const readBeforeMs = 5_000;
/** Account currency for each open lot: two points of the fourth digit. */
const slackPerLot = 20;
const leastSlack = 0.5;

interface Sample extends SeenLoss {
  readonly atMs: number;
}

/** The loss of the server's day over time, held against the entries that are sent and denied. */
export class LossOfDay {
  private samples: Sample[] = [];

  constructor(
    private readonly world: JudgeWorld,
    private readonly pause: LastPause,
    private readonly report: Report,
  ) {}

  /** The gateway reads the account now, or something is judged. */
  sample(): void {
    const { time, broker, limits, listsLateMs } = this.world;
    if (!Number.isFinite(limits.mostDailyLoss)) return;
    const atMs = time.elapsedMs;
    const slack = leastSlack + slackPerLot * broker.openLots();
    this.samples = this.samples.filter((sample) => sample.atMs >= atMs - 10 * 60_000);
    this.samples.push({ atMs, ...lossSeen(broker.money, listsLateMs(), slack) });
  }

  sending(send: SendRecord): void {
    const { limits } = this.world;
    if (!Number.isFinite(limits.mostDailyLoss)) return;
    this.sample();
    const sinceMs = send.atMs - readBeforeMs - this.pause.nearMs(send.atMs) - 2 * this.world.diskCallMs();
    this.judge(sinceMs, (seen) =>
      this.report('no entry is sent over the loss of a day', sentOverLoss(send, limits.mostDailyLoss, seen)),
    );
  }

  /** @param askedAtMs when the request reached the gateway */
  answered(answer: HttpAnswer, askedAtMs: number): void {
    const { limits } = this.world;
    if (answer.body['error_type'] !== 'daily_loss_exceeded') return;
    this.sample();
    this.judge(askedAtMs, (seen) =>
      this.report('the loss of a day ends with it', deniedWithoutLoss(answer, limits.mostDailyLoss, seen)),
    );
  }

  /** A gateway whose wall clock is off takes another day for that of the server. */
  private judge(sinceMs: number, hold: (seen: readonly SeenLoss[]) => void): void {
    const before = this.samples.filter(({ atMs }) => atMs < sinceMs).at(-1);
    const within = this.samples.filter(({ atMs }) => atMs >= sinceMs);
    if (!this.world.isClockOff()) hold(before ? [before, ...within] : within);
  }
}
