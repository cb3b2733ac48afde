import type { DealRecord, OrderAnswer } from '@libs/gateway-client';
import type { IntentRecord, OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import { claimOf, isClaimed } from './claim';
import type { DeskSurroundings, Origin } from './desk-surroundings';
import { exitRetryMs } from './exit-retry';
import { expected, shown, type Expectation } from './expectation';
import { retryKeyOf } from './idempotency-keys';
import { OrderIntents } from './order-intents';
import { objectionTo } from './outcome-by-hand';
import { isClose, planOf, type OrderIntent, type Planned } from './plan';
import { purposeOf, RequestsOnTheWay } from './requests-on-the-way';
import type { StrategyBook } from './strategy-book';
import { Submissions } from './submissions';
import { ticketByKey } from './ticket-by-key';
import { conclude, staleMs, type Conclusion } from './unknown-ladder';

type Refusal = Exclude<Conclusion, { kind: 'done' }>;

/** A request on its way: how the books will show that it is done, and how often it was refused before. */
interface Job {
  readonly record: IntentRecord;
  readonly isShown: Expectation;
  readonly attempt: number;
}

const byItself: Origin = { receivedNanos: null, decidedNanos: 0 };

/** Carries out what one strategy wants: checked, journalled, sent once, and followed until its outcome is certain. */
export class OrderDesk {
  /**
   * Counted apart: blocked by the kill switch is not a fault of the order, and a refused exit is tried again. `stale` are
   * those of `denied` that were decided on a late bar.
   */
  readonly counts = { submitted: 0, rejected: 0, blocked: 0, denied: 0, stale: 0, unknown: 0, retried: 0 };
  readonly submissions: Submissions;
  private readonly onTheWay = new RequestsOnTheWay();
  private readonly intents = new OrderIntents();
  /** Exits that came to nothing for good, by ticket. */
  private readonly failedExits = new Map<string, IntentRecord & { readonly reason: string }>();

  constructor(
    private readonly book: StrategyBook,
    private readonly around: DeskSurroundings,
  ) {
    this.submissions = new Submissions(book.spec.name, around.latency);
  }

  /** Requests whose outcome is not known, and exits that wait to be tried again. */
  get inFlight(): number {
    return this.onTheWay.count;
  }

  /** Requests whose outcome is being found out. */
  get unknown(): number {
    return this.onTheWay.unknown;
  }

  /** Gateways that requests are on their way to, whether they are configured or not. */
  get brokersOnTheWay(): readonly string[] {
    return this.onTheWay.brokers;
  }

  /** Those of one gateway: another one that is away stops nothing there. */
  inFlightOn(broker: string): number {
    return this.onTheWay.all.filter((record) => record.broker === broker).length;
  }

  /** Entries among them: each may turn out to be open. */
  get entriesInFlight(): number {
    return this.onTheWay.all.filter(({ isEntry }) => isEntry).length;
  }

  /** Why a position that its strategy wants to be out of is still open, or an outcome cannot be found out; or null. */
  get problem(): string | null {
    for (const { broker, ticket, reason } of this.failedExits.values()) {
      if (ticket !== null && this.book.owns(broker, ticket)) return `position ${ticket} could not be closed: ${reason}`;
    }
    return this.onTheWay.problem;
  }

  /** The intent that a deal answers, when the desk knows it; a deal may be seen before the answer to its request. */
  intentOf(broker: string, deal: DealRecord): string | null {
    return this.intents.of(broker, deal, this.onTheWay.all);
  }

  /** Whether a request that acts on this ticket is on its way. */
  isActingOn(broker: string, ticket: number): boolean {
    return this.onTheWay.all.some((record) => record.broker === broker && record.ticket === ticket);
  }

  /**
   * Returns when the outcome is certain and the books show it, or when it has to be found out in the background.
   * @param along what becomes durable together with the intent
   */
  async carryOut(intent: OrderIntent, origin: Origin, along: Change = {}): Promise<void> {
    const { around, book } = this;
    const plan = planOf(intent, book, this.onTheWay.all, (stream, volume) =>
      around.denied(stream, volume, this.inFlightOn(stream.broker)),
    );
    if (typeof plan === 'string') return this.deny(intent.id, plan);
    if (!around.hasGateway(plan.broker)) return this.deny(intent.id, `gateway ${plan.broker} is not configured`);
    const record = { ...plan, strategy: book.spec.name, intentId: intent.id };
    await this.submit({ ...record, ...this.opened(plan, around.keys.next()), outcome: null }, 0, origin, along);
  }

  /** Goes on finding out what an earlier start of the daemon left open. */
  takeUp(open: readonly IntentRecord[]): void {
    // In the order in which they were wanted: of two for the same purpose, the newer one counts.
    const inOrder = [...open].sort((a, b) => a.createdAtMs - b.createdAtMs);
    for (const record of inOrder) this.onTheWay.add(record);
    for (const record of inOrder) {
      const job = { record, isShown: expected(this.book, record), attempt: 0 };
      if (this.around.hasGateway(record.broker)) this.follow(job);
      else this.getsStuck(record, `gateway ${record.broker} is not configured: configure it again, or settle it`);
    }
  }

  /**
   * Takes a person's word for what became of a request that cannot be followed.
   * @param order the order it became; null when it was never carried out
   * @throws Error when it is followed still, or the broker's books speak against it
   */
  async settle(key: string, order: number | null): Promise<void> {
    const { around } = this;
    const record = this.onTheWay.stuckOne(key);
    const isKnown = (ticket: number): boolean => this.isOfAnother(record, ticket);
    const objection = order === null ? null : await objectionTo(record, order, isKnown, around);
    if (objection !== null) throw new Error(objection);
    around.log.warning('an outcome was told by hand', { key, order });
    const said = { kind: 'absent', reason: 'it was said by hand that it was never carried out' } as const;
    const done = { kind: 'done', status: 200, replayed: true, body: { result: { order } } } as const;
    await this.finish({ record, isShown: expected(this.book, record), attempt: 0 }, order === null ? said : done);
  }

  /** Turns an intent down before anything is sent. */
  deny(intentId: string, reason: string, details: object = {}): void {
    this.counts.denied++;
    this.around.log.warning('an intent was denied', { intent: intentId, reason, ...details });
    this.around.onReject({ intentId, kind: 'denied', reason, retcode: null });
  }

  /** Denies an entry that was decided on a bar which was handed on more than one bar late. @param lateMs in market time */
  denyStale(intentId: string, lateMs: number): void {
    this.counts.stale++;
    this.deny(intentId, 'stale_bar', { barLateMs: lateMs });
  }

  private opened(of: Planned, key: string): Pick<IntentRecord, 'key' | 'createdAtMs' | 'state' | 'dealsBefore'> {
    const target = isClose(of) && of.ticket !== null ? this.book.find(of.broker, of.ticket) : null;
    const before = target ? { dealsBefore: target.deals } : {};
    return { key, createdAtMs: this.around.clock.nowMs(), state: 'open', ...before };
  }

  private async submit(record: IntentRecord, attempt: number, origin: Origin, along: Change): Promise<void> {
    const { around } = this;
    this.onTheWay.add(record);
    const job = { record, attempt, isShown: expected(this.book, record) };
    if (!(await around.commit({ ...along, intents: [record] })) && record.isEntry) {
      this.onTheWay.drop(record);
      return this.deny(record.intentId, 'the state cannot be written');
    }
    const sentNanos = this.submissions.sent(origin);
    const outcome = await around.clientOf(record.broker).send<OrderAnswer>(record.call, record.key);
    if (outcome.kind === 'done' && (record.isEntry || isClose(record))) {
      this.submissions.answered(record.intentId, sentNanos, outcome.body.state === 'placed');
    }
    if (outcome.kind !== 'unknown') return this.finish(job, outcome);
    this.counts.unknown++;
    around.log.warning('the outcome of a request is unknown', { key: record.key, reason: outcome.reason });
    this.follow(job);
  }

  /** Finds an outcome out in the background. */
  private follow(job: Job): void {
    this.inBackground(job.record, this.findOut(job));
  }

  /** Nobody waits for it: what goes wrong is told, and the request stays on its way for the next start to go on. */
  private inBackground(record: IntentRecord, work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.getsStuck(record, `${String(error)}: the next start of the daemon tries again`),
    );
  }

  private getsStuck(record: IntentRecord, reason: string): void {
    const { broker, key } = record;
    this.around.log.error('a request cannot be followed', { key, gateway: broker, reason });
    this.onTheWay.getsStuck(record, `the outcome of request ${key} on ${broker} cannot be found out: ${reason}`);
  }

  private async findOut(job: Job): Promise<void> {
    const { record } = job;
    const conclusion = await conclude(record, {
      client: this.around.clientOf(record.broker),
      clock: this.around.clock,
      onStep: (text) => this.around.log.warning(text),
      isStillWanted: () => this.isStillWanted(record),
      isKnown: (order) => this.isOfAnother(record, order),
      onUnclear: (reason) => this.getsStuck(record, `${reason}; the gateway's audit log tells: settle it`),
      isStopping: () => this.around.isStopping(),
      hasEnded: () => this.around.hasEnded(),
    });
    if (conclusion) await this.finish(job, conclusion);
  }

  private async finish(job: Job, conclusion: Conclusion): Promise<void> {
    if (conclusion.kind === 'done') await this.finishDone(job, conclusion.body);
    else await this.finishRefused(job, conclusion);
  }

  private async finishDone({ record, isShown }: Job, body: OrderAnswer): Promise<void> {
    const { around } = this;
    this.counts.submitted++;
    const order = body.result?.order || (await ticketByKey(record, around));
    if (order !== null) this.intents.add(record.broker, order, record.intentId);
    const claims = this.claimsOf(record, order, body.state);
    await around.commit({ intents: [{ ...record, state: 'done', outcome: body.state ?? 'done' }], tickets: claims });
    around.log.info('done', { key: record.key, path: record.call.path, ticket: order });
    around.onDone({ intentId: record.intentId, key: record.key, ticket: order });
    await shown(() => isShown(order), record.broker, around);
    // Only now: an entry decided on books that do not show this one yet would be one too many.
    this.onTheWay.end(record);
    this.failedExits.delete(purposeOf(record));
  }

  private claimsOf(record: IntentRecord, order: number | null, state: OrderAnswer['state']): OwnedTicket[] {
    if (!record.isEntry || order === null || this.book.owns(record.broker, order)) return [];
    const remembered = this.around.ticketOf(record.broker, order);
    return isClaimed(record, remembered) ? [] : [claimOf(record, order, state)];
  }

  private async finishRefused({ record, attempt }: Job, refusal: Refusal): Promise<void> {
    const { around } = this;
    const { broker, key, isEntry, createdAtMs } = record;
    const reason = reasonOf(refusal);
    const isLate = around.clock.nowMs() - createdAtMs > staleMs || !around.hasGateway(broker);
    const waitMs = isEntry || isLate || !this.isStillWanted(record) ? null : exitRetryMs(refusal, attempt);
    const next = waitMs === null ? null : { ...record, ...this.opened(record, retryKeyOf(key)) };
    // The next try becomes durable with the end of this one: a restart goes on with it.
    await around.commit({ intents: [{ ...record, state: refusal.kind, outcome: reason }, ...(next ? [next] : [])] });
    around.log.warning(refusal.kind, { key, reason });
    if (next) this.onTheWay.waits(record, next);
    // A refusal may mean that the books are behind, as for a position that is closed already.
    if (around.hasGateway(broker)) await around.look(broker);
    if (next === null || waitMs === null) return this.reject(record, refusal);
    if (!this.isStillWanted(next)) return this.giveUp(next, refusal);
    around.log.warning('an exit will be tried again', { intent: record.intentId, inMs: waitMs });
    this.inBackground(next, this.tryAgain(next, refusal, attempt + 1, waitMs));
  }

  /** Sends an exit anew under a key of its own: the one before is proven to have done nothing. */
  private async tryAgain(record: IntentRecord, refusal: Refusal, attempt: number, waitMs: number): Promise<void> {
    await this.around.clock.sleep(waitMs);
    if (this.around.isStopping()) return;
    if (!this.isStillWanted(record)) return this.giveUp(record, refusal);
    this.onTheWay.waitsNoMore(record);
    this.counts.retried++;
    await this.submit({ ...record, ...this.opened(record, record.key) }, attempt, byItself, {});
  }

  /** Ends a try that was never made. */
  private async giveUp(record: IntentRecord, refusal: Refusal): Promise<void> {
    await this.around.commit({ intents: [{ ...record, state: 'absent', outcome: 'it was not wanted any more' }] });
    this.reject(record, refusal);
  }

  private isOfAnother({ broker, intentId }: IntentRecord, order: number): boolean {
    const owned = this.around.ticketOf(broker, order);
    return (
      this.intents.isOfAnother(broker, order, intentId) || (owned?.intentId != null && owned.intentId !== intentId)
    );
  }

  private isStillWanted(record: IntentRecord): boolean {
    if (record.isEntry) return this.book.record.halt === null && !this.around.isStopping();
    const isOpen = record.ticket !== null && this.book.owns(record.broker, record.ticket);
    return isOpen && this.onTheWay.isLatest(record);
  }

  /** Nothing more will be tried: the strategy is told, and of a position it cannot get out of the operators, too. */
  private reject(record: IntentRecord, refusal: Refusal): void {
    const kind = refusal.kind === 'blocked' ? 'blocked' : 'rejected';
    const reason = reasonOf(refusal);
    this.counts[kind]++;
    if (isClose(record) && this.isStillWanted(record)) {
      this.failedExits.set(purposeOf(record), { ...record, reason });
      this.around.log.error('a position could not be closed', { ticket: record.ticket, reason });
    }
    this.onTheWay.end(record);
    const retcode = refusal.kind === 'absent' ? null : (refusal.terminalError?.retcode ?? null);
    this.around.onReject({ intentId: record.intentId, kind, reason, retcode });
  }
}

function reasonOf(refusal: Refusal): string {
  return refusal.kind === 'absent' ? refusal.reason : `${refusal.errorType}: ${refusal.error}`;
}
