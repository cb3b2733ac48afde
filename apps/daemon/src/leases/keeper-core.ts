import type { Lease, OpenLease } from '@libs/postgres';
import {
  endedLease,
  isLeaving,
  renewedLease,
  runnableLease,
  type Errand,
  type HeldLease,
  type Holding,
  type Job,
  type KeeperEffect,
  type KeeperEvent,
  type KeeperSettings,
  type KeeperState,
  type LeaseAnswer,
  type LeaseRequest,
} from './keeper-state';
import { choicesOf, freeUnits, nextDeparture, takingsOf } from './keeper-round';
import { departuresOf, isDraining, unplacedOf } from './placement';

/** Renewals in the duration of a lease: several may fail before entries stop. */
const renewals = 5;
/** A host is counted for as long as it may hold leases. */
const hostLeases = 1.5;

type JobOf<Kind extends Job['kind']> = Extract<Job, { kind: Kind }>;
type AnswerOf<Kind extends LeaseAnswer['kind']> = Extract<LeaseAnswer, { kind: Kind }>;

/** Time between two renewals, in milliseconds. */
export function renewalMsOf(leaseMs: number): number {
  return leaseMs / renewals;
}

/**
 * What an event does to the leases of a host. No more than one statement is without an answer at any time.
 * @param nowMs on the monotonic clock
 */
export function stepKeeper(
  state: KeeperState,
  event: KeeperEvent,
  nowMs: number,
  settings: KeeperSettings,
): { readonly state: KeeperState; readonly effects: readonly KeeperEffect[] } {
  const step = new KeeperStep(state, nowMs, settings);
  step.take(event);
  step.advance();
  return { state: step.state, effects: step.effects };
}

/** One step: the state so far, and the effects so far. */
class KeeperStep {
  readonly effects: KeeperEffect[] = [];

  constructor(
    public state: KeeperState,
    private readonly nowMs: number,
    private readonly settings: KeeperSettings,
  ) {}

  take(event: KeeperEvent): void {
    switch (event.kind) {
      case 'round':
        return this.askRound(event.ask);
      case 'answered':
        return this.answered(event.answer);
      case 'failed':
        return this.failed(event.problem);
      case 'prepared':
        return this.prepared(event.lease, event.unit);
      case 'not prepared':
        return this.notPrepared(event.lease, event.unit, event.problem);
      case 'raise':
        return this.enqueue(event);
      case 'end':
        return this.end(event.lease, event.reason);
      case 'handed over':
        return this.handedOver(event.unit);
      case 'given up':
        return this.givenUp(event.unit, event.problem);
      case 'stopped':
        return this.stopped(event.lease, event.ask);
      case 'discarded':
        return this.enqueue({ kind: 'release', lease: event.lease, ask: event.ask });
      case 'not discarded':
        return this.notDiscarded(event.unit, event.problem, event.ask);
      case 'drain':
        return this.change({ phase: this.state.phase === 'ended' ? 'ended' : 'draining' });
      case 'stop':
        return this.stop(event.ask);
    }
  }

  /** Sends the next statement, unless one has no answer yet. */
  advance(): void {
    for (let [job] = this.state.jobs; job && this.state.sent === null; [job] = this.state.jobs) this.work(job);
  }

  // Work on the rows

  private enqueue(job: Job): void {
    this.change({ jobs: [...this.state.jobs, job] });
  }

  private work(job: Job): void {
    switch (job.kind) {
      case 'round':
        return this.nextErrand(job);
      case 'raise':
        return this.raise(job);
      case 'leave':
        return this.send({ kind: 'leave' });
      case 'release': {
        const leases = this.leasesOf(job);
        return leases.length === 0 ? this.released(job) : this.send({ kind: 'release', leases });
      }
    }
  }

  private send(request: LeaseRequest): void {
    this.change({ sent: { request, atMs: this.nowMs }, isRenewed: false });
    if (request.kind === 'renew') this.change({ renewalSentMs: this.nowMs });
    this.effects.push({ kind: 'send', request });
  }

  /** So that a slow database does not cost the leases that are held, they are renewed before a statement if it is time. */
  private sendRenewed(request: LeaseRequest): void {
    const { renewalSentMs, isRenewed, phase } = this.state;
    const isDue = renewalSentMs === null || this.nowMs - renewalSentMs >= renewalMsOf(this.settings.leaseMs);
    if (isDue && !isRenewed && phase !== 'ended') this.renew();
    else this.send(request);
  }

  private renew(): void {
    const leases = this.holdings.map(({ lease }) => lease).filter(({ endReason }) => endReason === null);
    this.send({ kind: 'renew', leases });
  }

  private answered(answer: LeaseAnswer): void {
    const { sent, jobs } = this.state;
    const [job] = jobs;
    if (sent === null || !job) return;
    this.change({ sent: null });
    if (answer.kind === 'renewed') this.renewed(answer, sent);
    if (job.kind === 'round') return this.answeredInRound(job, answer, sent);
    // A renewal before a statement: the statement follows.
    if (answer.kind === 'renewed') return this.change({ isRenewed: true });
    if (job.kind === 'raise' && answer.kind === 'raised') return this.raised(job, answer.lease);
    if (job.kind === 'release') return this.released(job);
    this.finish();
  }

  private failed(problem: string): void {
    const { sent, jobs } = this.state;
    const [job] = jobs;
    if (sent === null || !job) return;
    this.change({ sent: null });
    switch (job.kind) {
      case 'round':
        this.noteProblem(problem);
        return this.finishRound();
      case 'raise':
        return this.refuse(job.ask, problem);
      case 'leave':
        return this.finish();
      case 'release': {
        const units = this.leasesOf(job).map(({ fence }) => fence.name);
        this.log('error', { units, problem }, 'leases could not be released');
        return this.released(job);
      }
    }
  }

  private renewed({ names }: AnswerOf<'renewed'>, { request, atMs }: NonNullable<KeeperState['sent']>): void {
    if (request.kind !== 'renew') return;
    const held = new Set(names);
    for (const { id, fence } of request.leases) {
      if (!held.has(fence.name)) this.end(id, `the lease of ${fence.name} was taken by another host`);
    }
    const renewedIds = new Set(request.leases.filter(({ fence }) => held.has(fence.name)).map(({ id }) => id));
    const holdings = [...this.state.holdings].map(([name, holding]): readonly [string, Holding] => {
      const { lease } = holding;
      return [name, renewedIds.has(lease.id) ? { ...holding, lease: renewedLease(lease, atMs) } : holding];
    });
    this.change({ holdings: new Map(holdings) });
  }

  private raise(job: JobOf<'raise'>): void {
    const holding = this.holdingOf(job.lease);
    if (holding) this.sendRenewed({ kind: 'raise', lease: holding.lease, stored: job.stored });
    else this.refuse(job.ask, lostText(job.unit));
  }

  private raised(job: JobOf<'raise'>, lease: Lease | null): void {
    const holding = this.holdingOf(job.lease);
    // Also if the lease has ended meanwhile: it is released under this token.
    if (holding && lease !== null) this.hold({ ...holding, lease: { ...holding.lease, fence: lease } });
    if (lease === null || holding?.lease.endReason !== null) return this.refuse(job.ask, lostText(job.unit));
    this.effects.push({ kind: 'reply', ask: job.ask, lease, problem: null });
    this.finish();
  }

  private refuse(ask: number, problem: string): void {
    this.effects.push({ kind: 'reply', ask, lease: null, problem });
    this.finish();
  }

  /** Those that a release gives back, under the tokens that they have now. */
  private leasesOf({ lease }: JobOf<'release'>): readonly HeldLease[] {
    return this.holdings.map((holding) => holding.lease).filter(({ id }) => lease === null || id === lease);
  }

  /** Also if it failed: a lease that was not released expires. */
  private released({ lease, ask }: JobOf<'release'>): void {
    const kept = [...this.state.holdings].filter(([, holding]) => lease !== null && holding.lease.id !== lease);
    this.change({ holdings: new Map(kept) });
    this.reply(ask);
    this.finish();
  }

  /** The job in progress has ended. */
  private finish(): void {
    this.change({ jobs: this.state.jobs.slice(1), isRenewed: false });
  }

  // Rounds

  private askRound(ask: number): void {
    const isWorking = this.state.jobs.some(({ kind }) => kind === 'round');
    this.change({ roundAsks: [...this.state.roundAsks, ask], isDue: isWorking });
    if (!isWorking) this.beginRound();
  }

  private beginRound(): void {
    const situation = { id: this.settings.id, units: [], held: [], hosts: [], open: [] };
    this.enqueue({ kind: 'round', errands: [{ kind: 'renew' }], version: null, situation });
  }

  private finishRound(): void {
    this.finish();
    const { isDue, roundAsks } = this.state;
    if (isDue) {
      this.change({ isDue: false });
      return this.beginRound();
    }
    this.change({ roundAsks: [] });
    for (const ask of roundAsks) this.reply(ask);
  }

  private nextErrand(job: JobOf<'round'>): void {
    const [errand, ...rest] = job.errands;
    // A renewal would add the row of this host again after it has left.
    if (this.state.phase === 'ended') return this.finishRound();
    if (!errand) {
      this.noteProblem(null);
      return this.finishRound();
    }
    // A host that takes no more units only renews those that it has.
    if (!this.isTaking && errand.kind !== 'renew') return this.proceed(job, []);
    switch (errand.kind) {
      case 'renew':
        return this.renew();
      case 'hosts':
        return this.send({ kind: 'hosts', withinMs: this.settings.leaseMs * hostLeases });
      case 'open':
        return this.sendRenewed({ kind: 'open', names: job.situation.units.map(({ name }) => name) });
      case 'choose':
        return this.proceed(job, [...takingsOf(this.state, job.situation, errand, this.nowMs, this.settings), ...rest]);
      case 'announce':
        return this.sendRenewed({ kind: 'announce', names: errand.names });
      case 'take':
        return this.sendRenewed({ ...errand, version: job.version });
      case 'unreserve':
        return this.sendRenewed({ kind: 'unreserve', unit: errand.unit, host: errand.host });
      case 'give':
        return this.proceed(job, [...this.give(job), ...rest]);
      case 'depart':
        this.depart(job);
        return this.proceed(job, rest);
    }
  }

  private proceed(job: JobOf<'round'>, errands: readonly Errand[]): void {
    this.change({ jobs: [{ ...job, errands }, ...this.state.jobs.slice(1)] });
  }

  private answeredInRound(
    job: JobOf<'round'>,
    answer: LeaseAnswer,
    { request, atMs }: NonNullable<KeeperState['sent']>,
  ): void {
    const [errand, ...rest] = job.errands;
    if (answer.kind === 'renewed' && errand?.kind !== 'renew') return this.change({ isRenewed: true });
    switch (answer.kind) {
      case 'renewed':
        this.change({ rounds: this.state.rounds + 1 });
        // By the second round, hosts that start together have their rows.
        return this.proceed(job, this.state.rounds > 1 ? [{ kind: 'hosts' }] : []);
      case 'hosts':
        return this.seeHosts(job, answer);
      case 'open':
        return this.place(job, answer.open);
      case 'taken': {
        this.taken(answer.leases, atMs);
        const isReserved = request.kind === 'take' && request.isReserved;
        const host = this.settings.id;
        const reserved = (isReserved ? answer.leases : []).map(({ name }) => {
          return { kind: 'unreserve', unit: name, host } as const;
        });
        return this.proceed(job, [...reserved, ...rest]);
      }
      case 'raised':
      case 'done':
        return this.proceed(job, rest);
    }
  }

  private seeHosts(job: JobOf<'round'>, { hosts, units, version }: AnswerOf<'hosts'>): void {
    const situation = { ...job.situation, hosts, units };
    this.proceed({ ...job, situation, version }, [{ kind: 'open' }]);
  }

  /** Takes units, and gives units to other hosts. */
  private place(job: JobOf<'round'>, open: readonly OpenLease[]): void {
    const { holdings, free } = this.state;
    const situation = { ...job.situation, open, held: [...holdings.keys()] };
    const isDrained = isDraining(situation);
    this.change({ isDrained, unplaced: unplacedOf(situation), free: freeUnits(free, open, this.nowMs) });
    this.proceed({ ...job, situation }, [...(isDrained ? [] : choicesOf(situation)), { kind: 'give' }]);
  }

  /** Starts to give one unit to another host. An order that cannot be carried out is cancelled: its unit stays here. */
  private give({ situation }: JobOf<'round'>): readonly Errand[] {
    const departures = departuresOf(situation);
    this.change({ departures });
    const cancelled = departures.flatMap(({ unit, ordered, obstacle }) => {
      if (ordered === null || obstacle === null) return [];
      this.log('error', { unit, problem: obstacle }, 'the unit cannot be moved');
      return [{ kind: 'unreserve', unit, host: ordered } as const];
    });
    return [...cancelled, { kind: 'depart' }];
  }

  private depart({ situation: { open } }: JobOf<'round'>): void {
    const next = nextDeparture(this.state, open, this.nowMs);
    const holding = next && this.state.holdings.get(next.unit);
    if (!next || !holding) return;
    const target = next.target?.name ?? null;
    this.log('info', { unit: next.unit, target }, 'the unit is given to another host');
    const leavingReason = target === null ? 'the unit is given to another host' : `the unit is moved to ${target}`;
    this.hold({ ...holding, lease: { ...holding.lease, leavingReason } });
    this.effects.push({ kind: 'changed' });
  }

  // Leases

  private taken(fences: readonly Lease[], sentMs: number): void {
    const { lastId, phase, holdings } = this.state;
    const endReason = phase === 'ended' ? stoppingText : null;
    const taken = fences.map((fence, index): HeldLease => {
      return { id: lastId + 1 + index, fence, renewedMs: sentMs, leavingReason: null, endReason };
    });
    const added = taken.map((lease) => [lease.fence.name, { lease, isPrepared: false, isGiven: false }] as const);
    this.change({ lastId: lastId + taken.length, holdings: new Map([...holdings, ...added]) });
    for (const lease of taken) {
      this.log('info', { unit: lease.fence.name, leaseToken: lease.fence.token }, 'lease taken');
      if (endReason === null) this.effects.push({ kind: 'prepare', lease });
    }
  }

  private prepared(id: number, unit: string): void {
    const holding = this.holdingOf(id);
    const stopping = this.isTaking ? null : stoppingText;
    const problem = holding ? (holding.lease.endReason ?? stopping) : (stopping ?? givenBackText);
    if (!holding || problem !== null) {
      this.effects.push({ kind: 'close', lease: id, unit, problem: problem ?? givenBackText });
      return;
    }
    const { counts } = this.state;
    this.hold({ ...holding, isPrepared: true });
    this.change({ counts: { ...counts, taken: counts.taken + 1 } });
    this.effects.push({ kind: 'admit', lease: id }, { kind: 'changed' });
  }

  private notPrepared(id: number, unit: string, problem: string): void {
    this.log('error', { unit, problem }, 'a lease was taken, but its unit cannot run here');
    this.end(id, problem);
    if (!this.holdingOf(id)) return;
    this.retryLater(unit);
    this.stopped(id, null);
  }

  /** A lease that ends while its unit runs is lost, unless the unit is given away or the daemon stops. */
  private end(id: number, reason: string): void {
    const holding = this.holdingOf(id);
    if (!holding || holding.lease.endReason !== null) return;
    this.hold({ ...holding, lease: endedLease(holding.lease, reason) });
    if (!holding.isPrepared || holding.isGiven || !this.isTaking) return;
    const { counts } = this.state;
    const { name, token } = holding.lease.fence;
    this.change({ counts: { ...counts, lost: counts.lost + 1 } });
    this.log('error', { unit: name, leaseToken: token, reason }, 'lease ended; its unit stops here');
    this.effects.push({ kind: 'changed' });
  }

  private handedOver(unit: string): void {
    const holding = this.state.holdings.get(unit);
    if (!holding || !isLeaving(holding.lease)) return;
    const { counts } = this.state;
    this.hold({ ...holding, isGiven: true });
    this.change({
      counts: { ...counts, given: counts.given + 1 },
      lastLeft: { unit, untilMs: this.nowMs + this.settings.leaseMs },
    });
    this.end(holding.lease.id, 'given to another host');
  }

  private givenUp(unit: string, problem: string): void {
    this.retryLater(unit);
    const lease = runnableLease(this.state, unit);
    if (lease) this.end(lease.id, problem);
  }

  /** The last writes of the unit are made under the lease: what was prepared is closed before it is released. */
  private stopped(id: number, ask: number | null): void {
    const holding = this.holdingOf(id);
    // The unit may have been taken again: its next lease stays.
    if (holding) this.effects.push({ kind: 'discard', lease: id, unit: holding.lease.fence.name, ask });
    else this.reply(ask);
  }

  private notDiscarded(unit: string, problem: string, ask: number | null): void {
    if (ask === null) this.log('error', { unit, problem }, 'a unit that stopped here could not be closed');
    else this.effects.push({ kind: 'reply', ask, lease: null, problem });
  }

  private stop(ask: number): void {
    this.change({ phase: 'ended' });
    for (const { lease } of this.holdings) this.end(lease.id, stoppingText);
    // The release notifies the other hosts, and they compute their shares anew: this host must not be counted by then.
    this.enqueue({ kind: 'leave' });
    this.enqueue({ kind: 'release', lease: null, ask });
  }

  /** Leaves a unit to other hosts for the duration of a lease: one of them may be able to run it. */
  private retryLater(unit: string): void {
    const kept = [...this.state.notBeforeMs].filter(([, untilMs]) => untilMs > this.nowMs);
    this.change({ notBeforeMs: new Map([...kept, [unit, this.nowMs + this.settings.leaseMs]]) });
  }

  private get isTaking(): boolean {
    return this.state.phase === 'taking';
  }

  private get holdings(): readonly Holding[] {
    return [...this.state.holdings.values()];
  }

  private holdingOf(id: number): Holding | undefined {
    return this.holdings.find(({ lease }) => lease.id === id);
  }

  private hold(holding: Holding): void {
    this.change({ holdings: new Map([...this.state.holdings, [holding.lease.fence.name, holding]]) });
  }

  private noteProblem(problem: string | null): void {
    const before = this.state.problem;
    if (problem !== null && before === null) this.log('error', { problem }, 'the leases could not be renewed');
    if (problem === null && before !== null) this.log('info', {}, 'the leases are renewed again');
    this.change({ problem });
  }

  private reply(ask: number | null): void {
    if (ask !== null) this.effects.push({ kind: 'reply', ask, lease: null, problem: null });
  }

  private log(level: 'info' | 'error', fields: object, text: string): void {
    this.effects.push({ kind: 'log', level, fields, text });
  }

  private change(changes: Partial<KeeperState>): void {
    this.state = { ...this.state, ...changes };
  }
}

const stoppingText = 'the daemon is stopping';
const givenBackText = 'its lease was given back while it was prepared';

function lostText(unit: string): string {
  return `the lease of ${unit} is lost`;
}
