import type { Crash } from '@libs/simulated-disk';
import { TradeAction } from '@libs/terminal-client';
import type { Ask, HttpAnswer, HttpRequest } from './asks';
import type { Raise } from './fenced-strategies';
import { sentForOtherAccount } from './invariants/account';
import { otherThanAsked } from './invariants/as-asked';
import { storiesDiffer } from './invariants/accounts-agree';
import { auditProblems } from './invariants/audit-log';
import { saidHealthy } from './invariants/healthy';
import { sentBeforeJournal, sentWithoutIntent } from './invariants/intent-on-disk';
import { unraised, unsettled } from './invariants/liveness';
import { sentForOther } from './invariants/one-body-per-key';
import { orderedTwice, unasked } from './invariants/one-order-per-key';
import { changesOverlap, expirationLost, isChange, protectionLost, ticketOf } from './invariants/protection';
import { sentThoughRefused } from './invariants/refused-not-done';
import { type HeldRow, lackingRows } from './invariants/whole-lists';
import { Accounts } from './judging/accounts';
import { EventWatch } from './judging/event-watch';
import { FenceUse } from './judging/fence-use';
import { Flattenings } from './judging/flattenings';
import { Halts } from './judging/halts';
import { LastPause } from './judging/last-pause';
import { LastWords } from './judging/last-words';
import { LimitUse } from './judging/limit-use';
import { LossOfDay } from './judging/loss-of-day';
import { LostMemory } from './judging/lost-memory';
import { noticedWithinMs, type JudgeWorld, type Report } from './judging/world';
import { mayFlatten, type SendRecord } from './sends';
import { serverSeconds } from './broker';

/** A change reads what stands, the market and the account, and is written to two disks, before it is sent. */
const levelsReadBeforeMs = 5_000;

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** Holds everything that happens against the invariants, and keeps the first violation. */
export class Judge {
  violation: Violation | null = null;
  /** An operator's flattening may be under way. */
  isFlattening = false;
  readonly accounts: Accounts;
  readonly words: LastWords;
  readonly fences: FenceUse;
  readonly events: EventWatch;
  readonly losses: LossOfDay;
  readonly flattenings: Flattenings;
  private readonly halts: Halts;
  private readonly lost: LostMemory;
  private readonly limits: LimitUse;
  private readonly pause = new LastPause();
  private readonly byMarker = new Map<string, SendRecord[]>();
  /** Sends that an operator's flattening may have made: they look like those of clients. */
  private readonly whileFlattening = new Set<SendRecord>();
  /** Sends whose lines a loss of power took, and the journal has. */
  private readonly linesDue = new Set<SendRecord>();

  constructor(private readonly world: JudgeWorld) {
    const report: Report = (invariant, problems) => this.report(invariant, problems);
    this.halts = new Halts(world, this.pause);
    this.accounts = new Accounts(world, this.pause, report);
    const isOfOperator = (send: SendRecord): boolean => this.whileFlattening.has(send);
    this.lost = new LostMemory(world);
    this.words = new LastWords(world, this.lost, isOfOperator, report);
    this.fences = new FenceUse(world, isOfOperator, report);
    this.limits = new LimitUse(world, this.lost);
    this.events = new EventWatch(world, report);
    this.losses = new LossOfDay(world, this.pause, report);
    this.flattenings = new Flattenings(world, (list, askedAtMs) => this.held(list, askedAtMs), report);
  }

  /** A run of the gateway has ended, with what it had in memory alone. */
  runEnded(run: number, auditLogs: readonly string[], crash: Crash = 'process'): void {
    this.halts.runEnded(run, crash);
    const sends = this.world.sends.filter((send) => send.run === run);
    this.lost.runEnded(sends, auditLogs);
    const unwritten = sends.filter((send) => sentWithoutIntent(send, auditLogs).length > 0);
    for (const send of unwritten) {
      // A loss of power takes lines that are not flushed yet. The next start writes them from the journal.
      if (crash === 'power' && this.world.journaled.has(send.intentId)) this.linesDue.add(send);
      else this.report('what was sent is on the audit log', sentWithoutIntent(send, auditLogs));
    }
  }

  /** Trading is certainly halted from now on. @param run the run that holds the halt in memory; null when the file is there */
  halted(run: number | null): void {
    this.halts.begin(run);
  }

  /** Trading may be halted from now on. */
  maybeHalted(): void {
    this.halts.maybeBegin();
  }

  /** Trading may be on again from now on. */
  maybeReleased(): void {
    this.halts.maybeReleased();
  }

  /** An operator is about to release. */
  releasing(): void {
    this.halts.releasing();
  }

  /** A release was answered with success. */
  released(): void {
    this.halts.released();
  }

  /** The terminal is logged in to another account from now on; null: to its own again. */
  otherAccount(sinceMs: number | null): void {
    this.accounts.other(sinceMs);
  }

  /** The journal is gone. */
  journalLost(auditLogs: readonly string[]): void {
    this.linesDue.clear();
    this.lost.journalLost(auditLogs);
    this.fences.journalLost(auditLogs);
  }

  /** An operator has accepted the new journal in place of the lost one. */
  journalAccepted(): void {
    this.fences.lossSettled();
  }

  /** The gateway stands still for a while. */
  paused(ms: number): void {
    this.pause.begin(this.world.time.elapsedMs, ms);
  }

  /** The gateway hands a send over to its link. */
  sending(send: SendRecord): void {
    const { book, journaled } = this.world;
    const asked = book.askedFor(send);
    const earlier = this.byMarker.get(send.marker) ?? [];
    const isOfOperator = this.isFlattening && mayFlatten(send.request);
    this.report('nothing is sent that was not asked for', unasked(send, asked, isOfOperator));
    if (send.request.action !== TradeAction.REMOVE) {
      this.report('no key has two orders', orderedTwice(send, earlier, asked));
      this.report(
        'no key has two orders',
        sentForOther(
          send,
          asked,
          (marker) => (book.withMarker(marker).length > 1 ? [] : this.byMarker.get(marker)) ?? [],
        ),
      );
    }
    this.report('nothing is sent without an intent', sentBeforeJournal(send, journaled));
    if (!isOfOperator) {
      this.report('what was refused is not sent', sentThoughRefused(send, asked));
      this.report('nothing is sent while trading is halted', this.halts.problems(send));
      this.report('what came while trading was halted is not sent', this.halts.problemsOfWaiting(send, asked));
      this.fences.sending(send, asked);
    }
    this.report('nothing exceeds a limit', this.limits.problems(send));
    this.losses.sending(send);
    this.accounts.sending(send);
    if (!isOfOperator) {
      this.report('what is meant for another account is refused', sentForOtherAccount(send, asked));
    }
    const variants = asked.flatMap((ask) => ask.variants).filter(({ marker }) => marker === send.marker);
    this.report('an order is as it was asked for', otherThanAsked(send, variants, serverSeconds));
    this.flattenings.sending(send, asked);
    if (isChange(send)) this.changing(send, asked);
    if (isOfOperator) this.whileFlattening.add(send);
    this.lost.sending(send);
    this.byMarker.set(send.marker, [...earlier, send]);
  }

  /** The broker has acted on a send, or has not. */
  executed(send: SendRecord): void {
    if (send.fate !== 'done') return;
    this.accounts.executed(send);
    this.report('nothing exceeds a limit', this.limits.problemsOfExecuted(send));
    // The answer to the flattening may come before the broker acts.
    if ((this.isFlattening && mayFlatten(send.request)) || this.whileFlattening.has(send)) return;
    // A refusal under a key does not speak for a request in transit that the gateway has forgotten.
    if (send.isForgotten) return;
    this.report('what was refused is not done', sentThoughRefused(send, this.world.book.askedFor(send)));
  }

  /** A request of a client reaches the gateway. */
  delivered(ask: Ask): void {
    this.words.delivered(ask);
    this.halts.delivered(ask);
  }

  /** @param askedAtMs when the request reached the gateway; `answer`: null when the gateway ended before it answered */
  answered(ask: Ask, request: HttpRequest, answer: HttpAnswer | null, askedAtMs: number): void {
    if (answer) {
      this.losses.answered(answer, askedAtMs);
      this.report('a release ends the halt', this.halts.problemsOfAnswer(answer, askedAtMs));
    }
    this.words.answered(ask, request, answer);
  }

  /** An answer was compared with the OpenAPI document. @param problems what the document does not describe of it */
  documented(problems: readonly string[]): void {
    this.report('every answer is documented', problems);
  }

  /**
   * The gateway has answered whether it can be traded with.
   * @param askedAtMs when the request reached it
   */
  toldHealth(answer: HttpAnswer, askedAtMs: number): void {
    const { time, unwritableSince, unreachableSince } = this.world;
    if (journalState(answer) === 'ok') this.fences.lossSettled();
    const beforeMs = askedAtMs - noticedWithinMs - this.pause.nearMs(askedAtMs);
    const lasts = (sinceMs: number | null): boolean => sinceMs !== null && sinceMs < beforeMs;
    this.report(
      'healthy is not said while orders cannot be taken',
      saidHealthy(answer, {
        halted: lasts(this.halts.sinceMs),
        unwritable: lasts(unwritableSince()),
        unreachable: lasts(unreachableSince()),
        atMs: time.elapsedMs,
      }),
    );
  }

  /** The gateway has answered what is open. @param askedAtMs when the request reached it */
  toldList(list: 'positions' | 'orders', answer: HttpAnswer, askedAtMs: number): void {
    this.report('no list lacks what is open', lackingRows(list, answer, this.held(list, askedAtMs)));
  }

  /** The gateway has answered a flattening of the operator's. @param askedAtMs when the request reached it */
  toldComplete(answer: HttpAnswer, askedAtMs: number): void {
    this.flattenings.toldOperator(answer, askedAtMs);
  }

  /** What the broker has, and for how long before a request. */
  private held(list: 'positions' | 'orders', askedAtMs: number): HeldRow[] {
    const { broker, time } = this.world;
    const { positions, orders } = broker.book;
    const { serverMs, positionMs } = broker.simulator.feedStatus();
    // Where the server's clock is set, one of the two is an hour off.
    const agedMs = (sinceMs: number): number =>
      Math.min(serverMs - sinceMs, positionMs - broker.simulator.serverClock.utcMs(sinceMs));
    const agoMs = time.elapsedMs - askedAtMs + this.pause.nearMs(askedAtMs);
    const rows = {
      positions: [...positions.values()].map(({ ticket, time_msc: sinceMs }) => ({ ticket, sinceMs })),
      orders: [...orders.values()].map(({ ticket, time_setup_msc: sinceMs }) => ({ ticket, sinceMs })),
    };
    return rows[list].map(({ ticket, sinceMs }) => ({ ticket, heldMs: agedMs(sinceMs) - agoMs }));
  }

  failedToStart(run: number, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.report('a gateway starts', [`run ${run} could not start: ${reason}`]);
  }

  /** Something happened that would end the process. */
  crashed(error: unknown): void {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.report('a gateway does not end on its own', [reason]);
  }

  /** All faults have ended long ago. @param raises those of fences that no definite answer has ended */
  end(afterMs: number, auditLogs: readonly string[], raises: readonly Raise[]): void {
    const { book } = this.world;
    this.report('everything settles', [...unsettled(book.open, afterMs), ...unraised(raises, afterMs)]);
    for (const [marker, sends] of this.byMarker) {
      const asked = book.withMarker(marker);
      if (asked.length > 0 && sends[0]?.request.action !== TradeAction.REMOVE) {
        this.report('clients and broker agree', storiesDiffer(marker, sends, asked));
      }
    }
    this.report('the audit log holds together', auditProblems(auditLogs, this.lost.outcomes));
    this.report(
      'what was sent is on the audit log',
      [...this.linesDue].flatMap((send) => sentWithoutIntent(send, auditLogs)),
    );
  }

  private changing(send: SendRecord, asked: readonly Ask[]): void {
    const others = this.world.sends.filter((other) => isChange(other) && ticketOf(other) === ticketOf(send));
    const variant = asked.flatMap(({ variants }) => variants).find(({ marker }) => marker === send.marker);
    const wanted = variant?.levels;
    const expiresS = variant?.expiresMs === undefined ? null : serverSeconds(variant.expiresMs);
    this.report('protection changes only on request', expirationLost(send, expiresS));
    this.report('changes do not overlap', changesOverlap(send, others));
    const readBeforeMs = levelsReadBeforeMs + this.pause.nearMs(send.atMs);
    if (wanted) this.report('protection changes only on request', protectionLost(send, wanted, others, readBeforeMs));
  }

  report(invariant: string, problems: readonly string[]): void {
    const [what] = problems;
    if (what !== undefined) this.violation ??= { invariant, what };
  }
}

/** What /health says of the journal. */
function journalState({ body }: HttpAnswer): unknown {
  const { journal } = body;
  return typeof journal === 'object' && journal !== null && 'state' in journal ? journal.state : null;
}
