import { saidHealthy } from './invariants/healthy';
import type { Ask, AskBook, HttpAnswer, HttpRequest } from './asks';
import { verdictOf } from './asks';
import type { SimulatedBroker } from './broker';
import {
  sentForOtherAccount,
  sentLongAfterSwitch,
  sentToOtherAccount,
  sentWithoutReading,
  succeededForOtherAccount,
  type AccountReading,
} from './invariants/account';
import { storiesDiffer } from './invariants/accounts-agree';
import {
  acknowledgedButMissing,
  acknowledgedForOthers,
  acknowledgedToTwo,
  namedOrder,
  type OrderAtBroker,
} from './invariants/acknowledged-exists';
import { auditProblems, intentsWithoutOutcome } from './invariants/audit-log';
import { sentBeforeJournal, sentWithoutIntent } from './invariants/intent-on-disk';
import { sentThoughHalted } from './invariants/halted';
import { overLimit, type Limits } from './invariants/limits';
import { unsettled } from './invariants/liveness';
import { orderedTwice, unasked } from './invariants/one-order-per-key';
import { changesOverlap, isChange, protectionLost, ticketOf } from './invariants/protection';
import { doneThoughRefused, sentThoughRefused } from './invariants/refused-not-done';
import { isEntry, type SendRecord } from './sends';
import { TradeAction } from '@libs/terminal-client';
import type { VirtualTime } from './virtual-time';

export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

export interface JudgeWorld {
  readonly time: VirtualTime;
  readonly broker: SimulatedBroker;
  readonly book: AskBook;
  /** All sends so far. */
  readonly sends: readonly SendRecord[];
  /** When the write of each intent began that is in the journal, on disk: virtual milliseconds by its id. */
  readonly journaled: ReadonlyMap<string, number>;
  /** The last crash may have taken outcomes that the audit log could not write. */
  readonly hasLostLines: () => boolean;
  /** Both disks may refuse writes now. */
  readonly mayLoseExits: () => boolean;
  /** How long a call to a disk takes now, at most, in milliseconds. */
  readonly diskCallMs: () => number;
  readonly login: number;
  readonly limits: Limits;
  /** Since when a disk of the gateway takes no writes; null while all of them do. */
  readonly unwritableSince: () => number | null;
  /** Since when the terminal cannot be reached; null while it can. */
  readonly unreachableSince: () => number | null;
}

/** The switch is read right before the send that it lets pass, in one call to a disk; a call that began on a slow one may end later. */
const haltMarginMs = 1;
/** A disk that takes no writes, and a link that is down, are noticed within this time. */
const noticedWithinMs = 5_000;
/** How long the writes of an intent take at most, those that they wait for included: usually, and on slow disks. */
const writesMs = { usual: 50, slow: 5_000 } as const;
const minuteMs = 60_000;
/** The journal keeps times in whole milliseconds. */
const roundingMs = 1;

/** Holds everything that happens against the invariants, and keeps the first violation. */
export class Judge {
  violation: Violation | null = null;
  /** An operator's flattening may be under way. */
  isFlattening = false;
  private haltedSince: { readonly ms: number; readonly run: number | null } | null = null;
  private pause = { fromMs: -Infinity, toMs: -Infinity };
  /** By run of the gateway. */
  private readonly lastRead = new Map<number, AccountReading>();
  private readonly byMarker = new Map<string, SendRecord[]>();
  /** Intents whose outcome was lost: with a journal, or in a crash while the audit log could not be written. */
  private readonly withoutOutcome = new Set<unknown>();
  /** A lost journal has forgotten when the entries before this instant were sent. */
  private rateForgottenAtMs = -Infinity;
  private otherAccountSinceMs: number | null = null;
  /** Sends that an operator's flattening may have made: they look like those of clients. */
  private readonly whileFlattening = new Set<SendRecord>();

  /** Exits that were sent while both disks may have refused their intents. */
  private readonly maybeUnwritten = new Set<SendRecord>();

  constructor(private readonly world: JudgeWorld) {}

  /** Trading is certainly halted from now on. @param run the run that holds the halt in memory; null when the file is there */
  halted(run: number | null): void {
    this.haltedSince ??= { ms: this.world.time.elapsedMs, run };
  }

  /** Trading may be on again from now on. */
  maybeReleased(): void {
    this.haltedSince = null;
  }

  /** A run of the gateway has ended: a halt that it held in memory may be forgotten, and no intent of what it sent. */
  runEnded(run: number, auditLogs: readonly string[]): void {
    if (this.haltedSince?.run === run) this.haltedSince = null;
    if (this.world.hasLostLines()) this.outcomesLost(auditLogs);
    const sends = this.world.sends.filter((send) => send.run === run);
    this.forgetUnwritten(sends, auditLogs);
    this.report(
      'what was sent is on the audit log',
      sends.flatMap((send) => sentWithoutIntent(send, auditLogs)),
    );
  }

  /** The gateway stands still for a while. */
  paused(ms: number): void {
    this.pause = { fromMs: this.world.time.elapsedMs, toMs: this.world.time.elapsedMs + ms };
  }

  /** The terminal is logged in to another account from now on; null: to its own again. */
  otherAccount(sinceMs: number | null): void {
    this.otherAccountSinceMs = sinceMs;
  }

  accountRead(run: number, login: number | null): void {
    this.lastRead.set(run, { login, atMs: this.world.time.elapsedMs });
  }

  /** The terminal has said how it stands. A probe asks for that and for the account, and ends with the later answer. */
  terminalRead(run: number, beganMs: number): void {
    const reading = this.lastRead.get(run);
    if (reading && reading.atMs >= beganMs) this.accountRead(run, reading.login);
  }

  /** A request reaches the gateway. */
  delivered(ask: Ask): void {
    ask.beingHandled += 1;
    if (ask.lastWord === 'refused') ask.lastWord = 'open';
  }

  /** The gateway hands a send over to its link. */
  sending(send: SendRecord): void {
    const { world } = this;
    const asked = world.book.askedFor(send);
    const earlier = this.byMarker.get(send.marker) ?? [];
    this.report('nothing is sent that was not asked for', unasked(send, asked, this.isFlattening));
    if (send.request.action !== TradeAction.REMOVE) {
      this.report('no key has two orders', orderedTwice(send, earlier, asked));
    }
    this.report('nothing is sent without an intent', sentBeforeJournal(send, world.journaled));
    this.report('what was refused is not sent', this.isFlattening ? [] : sentThoughRefused(send, asked));
    this.report('nothing is sent while trading is halted', this.isFlattening ? [] : this.haltProblems(send));
    this.report('nothing exceeds a limit', overLimit(send, world.limits, this.lots(), this.entriesOfTheMinute(send)));
    this.report(
      'nothing goes to another account',
      sentToOtherAccount(send, this.lastRead.get(send.run) ?? null, world.login),
    );
    this.report(
      'the account is read before each send',
      sentWithoutReading(send, this.lastRead.get(send.run) ?? null, this.readMarginMs(send)),
    );
    this.report(
      'what is meant for another account is refused',
      this.isFlattening ? [] : sentForOtherAccount(send, asked),
    );
    if (isChange(send)) this.changing(send, asked);
    if (this.isFlattening) this.whileFlattening.add(send);
    if (world.mayLoseExits() && !isEntry(send.request)) this.maybeUnwritten.add(send);
    this.byMarker.set(send.marker, [...earlier, send]);
  }

  /** The broker has acted on a send, or has not. */
  executed(send: SendRecord): void {
    if (send.fate !== 'done') return;
    this.report(
      'nothing goes to another account',
      sentLongAfterSwitch(send, this.otherAccountSinceMs, this.world.login, this.pausedNear(send.atMs)),
    );
    // The answer to the flattening may come before the broker acts.
    if (this.isFlattening || this.whileFlattening.has(send)) return;
    const asked = this.world.book.askedFor(send);
    // A refusal under a key that a lost journal has forgotten says nothing of a request in transit.
    if (asked.some(({ forgettable }) => forgettable)) return;
    this.report('what was refused is not done', sentThoughRefused(send, asked));
  }

  /** An answer was compared with the OpenAPI document. @param problems what the document does not say of it */
  documented(problems: readonly string[]): void {
    this.report('every answer is documented', problems);
  }

  /** The gateway has answered a request; null when it ended before it did. */
  answered(ask: Ask, request: HttpRequest, answer: HttpAnswer | null): void {
    ask.beingHandled -= 1;
    if (answer === null) return;
    if (answer.body['remembered'] === false) ask.forgettable = true;
    this.report('what is meant for another account is refused', succeededForOtherAccount(ask, answer.status));
    switch (verdictOf(answer)) {
      case 'done':
        return this.acknowledged(ask, request, answer);
      case 'refused':
        return this.refused(ask, `refused with ${answer.status}`, false);
      case 'void':
        return this.refused(ask, 'void', true);
      case 'conflict':
        return this.conflicted(ask, request);
      case 'undecidable':
        if (ask.lastWord === 'open') ask.lastWord = 'undecidable';
        return;
      case 'open':
        return;
    }
  }

  /** The gateway has said what it knows of a key. */
  lookedUp(ask: Ask, { body }: HttpAnswer): void {
    const status = body['status'];
    if (status === 'void') this.refused(ask, 'void', true);
    else if (status === 'absent') this.refused(ask, 'absent', false);
  }

  /** The journal is gone: closes pass, and may be made a second time under a key that it has forgotten. */
  journalLost(auditLogs: readonly string[]): void {
    this.outcomesLost(auditLogs);
    this.rateForgottenAtMs = this.world.time.elapsedMs;
    this.world.book.forget(({ kind }) => kind !== 'open' && kind !== 'pending');
  }

  /** An operator lets new risk pass as well. */
  journalAccepted(): void {
    this.world.book.forget(() => true);
  }

  /**
   * The gateway has said whether it can be traded with.
   * @param askedAtMs when the request reached it
   */
  toldHealth(answer: HttpAnswer, askedAtMs: number): void {
    const { time, unwritableSince, unreachableSince } = this.world;
    const beforeMs = askedAtMs - noticedWithinMs - this.pausedNear(askedAtMs);
    const lasts = (sinceMs: number | null): boolean => sinceMs !== null && sinceMs < beforeMs;
    this.report(
      'healthy is not said while orders cannot be taken',
      saidHealthy(answer, {
        halted: lasts(this.haltedSince?.ms ?? null),
        unwritable: lasts(unwritableSince()),
        unreachable: lasts(unreachableSince()),
        atMs: time.elapsedMs,
      }),
    );
  }

  failedToStart(run: number, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.report('a gateway starts', [`run ${run} could not start: ${reason}`]);
  }

  /** Something happened that would end the process. */
  crashed(error: unknown): void {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.report('a gateway does not end by itself', [reason]);
  }

  /** All faults have ended long ago. */
  end(afterMs: number, auditLogs: readonly string[]): void {
    const { book } = this.world;
    this.report('everything settles', unsettled(book.open, afterMs));
    for (const [marker, sends] of this.byMarker) {
      const asked = book.withMarker(marker);
      if (asked.length > 0 && sends[0]?.request.action !== TradeAction.REMOVE) {
        this.report('clients and broker agree', storiesDiffer(marker, sends, asked));
      }
    }
    this.report('the audit log holds together', auditProblems(auditLogs, this.withoutOutcome));
  }

  /**
   * A run that sent an exit without an intent on either disk takes its memory with it: the key may be sent again. The answer
   * says so (`remembered: false`), but it may never have left.
   */
  private forgetUnwritten(sends: readonly SendRecord[], auditLogs: readonly string[]): void {
    const { journaled, book } = this.world;
    for (const send of sends.filter((one) => this.maybeUnwritten.has(one))) {
      const isWritten = journaled.has(send.intentId) || auditLogs.some((text) => text.includes(`"${send.intentId}"`));
      if (!isWritten) for (const ask of book.askedFor(send)) ask.forgettable = true;
    }
  }

  private outcomesLost(auditLogs: readonly string[]): void {
    for (const intent of intentsWithoutOutcome(auditLogs)) this.withoutOutcome.add(intent);
  }

  private acknowledged(ask: Ask, request: HttpRequest, answer: HttpAnswer): void {
    const orderAt: OrderAtBroker = (ticket) => this.world.broker.orderAt(ticket);
    const marker = ask.variants.find((variant) => variant.request === request)?.marker ?? null;
    this.report('what was acknowledged exists', [
      ...acknowledgedButMissing(ask, answer, orderAt),
      ...acknowledgedForOthers(ask, answer, marker, orderAt),
      ...acknowledgedToTwo(ask, answer, this.world.book.asks.values()),
    ]);
    ask.lastWord = 'done';
    ask.doneMarker ??= marker;
    ask.order ??= namedOrder(ask, answer);
  }

  private changing(send: SendRecord, asked: readonly Ask[]): void {
    const others = this.world.sends.filter((other) => isChange(other) && ticketOf(other) === ticketOf(send));
    const wanted = asked.flatMap(({ variants }) => variants).find(({ marker }) => marker === send.marker)?.levels;
    this.report('changes do not overlap', changesOverlap(send, others));
    if (wanted) this.report('protection changes only on request', protectionLost(send, wanted, others));
  }

  private refused(ask: Ask, words: string, isFinal: boolean): void {
    // Another copy of the request may be about to be sent: its own answer counts.
    if (ask.beingHandled > 0 && !isFinal) return;
    const isOfAsk = (send: SendRecord): boolean =>
      this.world.book.askedFor(send).includes(ask) && !this.whileFlattening.has(send);
    const sends = this.world.sends.filter(isOfAsk);
    // What a journal has forgotten, it does not deny.
    const isForgotten = ask.forgettable && !isFinal;
    this.report(
      'what was refused was not done',
      isForgotten ? [] : doneThoughRefused(ask, words, sends, (marker) => this.world.book.withMarker(marker)),
    );
    if (isFinal) ask.lastWord = 'void';
    else if (ask.lastWord === 'open') ask.lastWord = 'refused';
  }

  private conflicted(ask: Ask, request: HttpRequest): void {
    const variant = ask.variants.find((candidate) => candidate.request === request);
    const sends = this.byMarker.get(variant?.marker ?? '') ?? [];
    const others = (marker: string): readonly Ask[] => this.world.book.withMarker(marker);
    // After a loss the key may have been taken by the other parameters.
    this.report(
      'what was refused was not done',
      ask.forgettable ? [] : doneThoughRefused(ask, 'in conflict', sends, others),
    );
  }

  /** For how long the gateway stood still shortly before an instant. */
  private pausedNear(atMs: number): number {
    return this.pause.toMs > atMs - noticedWithinMs ? this.pause.toMs - this.pause.fromMs : 0;
  }

  private haltProblems(send: SendRecord): string[] {
    const sinceMs = this.haltedSince?.ms ?? null;
    const overlaps = sinceMs !== null && this.pause.toMs > sinceMs - noticedWithinMs;
    const marginMs = haltMarginMs + 2 * this.world.diskCallMs() + (overlaps ? this.pause.toMs - this.pause.fromMs : 0);
    return sentThoughHalted(send, sinceMs, marginMs);
  }

  /** What lies between the reading of the account and the send that it lets pass: writes to two disks. */
  private readMarginMs(send: SendRecord): number {
    const { time, diskCallMs } = this.world;
    const isPauseRecent = this.pause.toMs > send.atMs - noticedWithinMs;
    const pausedMs = isPauseRecent ? Math.min(this.pause.toMs, time.elapsedMs) - this.pause.fromMs : 0;
    return (diskCallMs() === 0 ? writesMs.usual : writesMs.slow) + pausedMs;
  }

  /** Lots open at the broker, and entries that may still be done. */
  private lots(): number {
    const inTransit = this.world.sends.filter(({ fate }) => fate === 'in transit');
    return inTransit.reduce((sum, { addedLots }) => sum + addedLots, this.world.broker.openLots);
  }

  private entriesOfTheMinute(send: SendRecord): number {
    const { time, journaled } = this.world;
    const sinceMs = time.elapsedMs - minuteMs;
    // After a restart the time of the intent counts, which is written some time before its send.
    const countsFromMs = ({ atMs, run, intentId }: SendRecord): number =>
      run === send.run ? atMs : (journaled.get(intentId) ?? atMs) - roundingMs;
    const isRecent = (other: SendRecord): boolean =>
      countsFromMs(other) > sinceMs &&
      other.atMs > this.rateForgottenAtMs &&
      other.addedLots > 0 &&
      other.fate !== 'lost' &&
      other.fate !== 'dropped';
    // One entry may be sent with several fillings.
    return new Set(
      this.world.sends
        .filter(isRecent)
        .map(requestOf)
        .filter((id) => id !== requestOf(send)),
    ).size;
  }

  private report(invariant: string, problems: readonly string[]): void {
    const [what] = problems;
    if (what !== undefined) this.violation ??= { invariant, what };
  }
}

/** The trade request of the gateway that a send belongs to. */
function requestOf({ intentId }: SendRecord): string {
  return intentId.slice(0, intentId.lastIndexOf('/'));
}
