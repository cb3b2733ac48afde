import type { Timer } from '@libs/clock';
import type { Lease } from '@libs/postgres';
import { Departures } from './departures';
import { FreeUnits } from './free-units';
import type { KeeperOptions, PreparedUnit, TokenRaiser } from './keeper-options';
import { isDraining, reservedForOthers, reservedHere, sharesOf, unplacedOf } from './placement';
import type { Situation, Unplaced } from './placement';
import { UnitLease } from './unit-lease';

/** Renewals in the duration of a lease: several may fail before entries stop. */
const renewals = 5;
/** A host is counted for as long as it may hold leases. */
const hostLeases = 1.5;

interface Holding {
  readonly lease: UnitLease;
  /** Whether the strategies of the unit may run: its fences are raised and its state is read. */
  isPrepared: boolean;
  /** Whether the lease ends because the unit is given to another host. */
  isGiven: boolean;
}

/** Takes, renews and releases the leases of this host. */
export class LeaseKeeper implements TokenRaiser {
  private readonly holdings = new Map<string, Holding>();
  /** When units that could not be prepared here are tried again, on the monotonic clock. */
  private readonly notBeforeMs = new Map<string, number>();
  private timer: Timer | null = null;
  /** The last statement. They run one after the other, so that no renewal names the old value of a raised token. */
  private last: Promise<unknown> = Promise.resolve();
  private rounds = 0;
  /** When the last renewal was sent, on the monotonic clock. */
  private renewalSentMs = Number.NEGATIVE_INFINITY;
  private isDue = false;
  private working: Promise<void> | null = null;
  private isStopping = false;
  private hasEnded = false;
  private problemText: string | null = null;
  private takenCount = 0;
  private lostCount = 0;
  private givenCount = 0;
  private isDrainingHere = false;
  private readonly departures: Departures;
  private unplacedUnits: readonly Unplaced[] = [];
  /** Units that this host might take. */
  private readonly free: FreeUnits;

  constructor(private readonly options: KeeperOptions) {
    this.departures = new Departures(options.clock, options.leaseMs);
    this.free = new FreeUnits(options.clock);
  }

  /** Why the leases could not be renewed at the last attempt; null if they were. */
  get problem(): string | null {
    return this.problemText;
  }

  /** Numbers since the start: units taken, leases lost, units given to other hosts. */
  get counts(): { readonly taken: number; readonly lost: number; readonly given: number } {
    return { taken: this.takenCount, lost: this.lostCount, given: this.givenCount };
  }

  /** Whether an operator has asked this host to give its units away. */
  get isDraining(): boolean {
    return this.isDrainingHere;
  }

  /** Units that must leave this host but cannot, with the reason. */
  get stuck(): Departures['stuck'] {
    return this.departures.stuck;
  }

  /** Units of the fleet that do not run, and that no running host may take. */
  get unplaced(): readonly Unplaced[] {
    return this.unplacedUnits;
  }

  /** The leases that this host holds, and those that have ended while their units have not stopped yet. */
  get leases(): readonly UnitLease[] {
    return [...this.holdings.values()].map(({ lease }) => lease);
  }

  /** The lease of a unit that may run here now; null otherwise. */
  leaseOf(unit: string): UnitLease | null {
    const holding = this.holdings.get(unit);
    return holding?.isPrepared === true && holding.lease.endReason === null ? holding.lease : null;
  }

  /** Starts the rounds. Leases are taken from the second on: by then, hosts that start together have their rows. */
  start(): void {
    const { clock } = this.options;
    this.timer = clock.every(Math.ceil(this.renewalMs), () => void this.round());
    void this.round();
  }

  /**
   * Renews the leases that are held, and takes free ones. A call during a round has another round follow. Resolves when
   * the last round has ended; never rejects.
   */
  round(): Promise<void> {
    this.isDue = true;
    return (this.working ??= this.work().finally(() => (this.working = null)));
  }

  /** Raises the token of a lease that is being prepared. @throws Error when it is lost */
  async raiseAbove(lease: UnitLease, stored: number): Promise<Lease> {
    return this.inTurn(async () => {
      await this.renewIfDue();
      const raised = await this.options.table.raiseAbove(lease.fence, stored);
      // Also if the lease has ended meanwhile: it is released under this token.
      if (raised !== null) lease.raised(raised);
      if (raised === null || lease.endReason !== null) throw new Error(`the lease of ${lease.fence.name} is lost`);
      return raised;
    });
  }

  /** Ends the lease of a leaving unit, when it has stopped or the time for that is over; {@link stopped} releases it. */
  handedOver(unit: string): void {
    const holding = this.holdings.get(unit);
    if (!holding?.lease.isLeaving) return;
    holding.isGiven = true;
    this.givenCount++;
    this.departures.left(unit);
    holding.lease.end('given to another host');
  }

  /** Ends the lease of a unit that cannot run here. The unit is not taken again for the duration of a lease. */
  giveUp(unit: string, problem: string): void {
    this.retryLater(unit);
    this.leaseOf(unit)?.end(problem);
  }

  /** Releases the lease of a unit that has stopped here, if it is still held; it may be taken again then. */
  async stopped(lease: UnitLease): Promise<void> {
    const { name } = lease.fence;
    // The unit may have been taken again: its next lease stays.
    if (this.holdings.get(name)?.lease !== lease) return;
    // The last writes of the unit are made under the lease.
    await this.options.discard(name);
    await this.giveBack(() => [lease.fence]);
    if (this.holdings.get(name)?.lease === lease) this.holdings.delete(name);
  }

  /** Takes no more leases, but still renews those that are held. */
  drain(): void {
    this.isStopping = true;
  }

  /** Releases all leases. All of their units must have stopped. */
  async end(): Promise<void> {
    this.isStopping = true;
    this.hasEnded = true;
    this.timer?.cancel();
    for (const lease of this.leases) lease.end('the daemon is stopping');
    // A round in progress may take leases until it ends.
    await this.working;
    for (const lease of this.leases) lease.end('the daemon is stopping');
    // The release notifies the other hosts, and they compute their shares anew: this host must not be counted by then.
    await this.inTurn(() => this.options.table.leave()).catch(() => undefined);
    await this.giveBack(() => this.leases.map(({ fence }) => fence));
    this.holdings.clear();
  }

  private async work(): Promise<void> {
    while (this.isDue) {
      this.isDue = false;
      await this.inTurn(() => this.renewAndTake());
    }
  }

  private async renewAndTake(): Promise<void> {
    // A renewal would add the row of this host again after it has left.
    if (this.hasEnded) return;
    try {
      await this.renew();
      this.rounds++;
      if (this.rounds > 1 && !this.isStopping) await this.place();
      this.noteProblem(null);
    } catch (error) {
      this.noteProblem(error instanceof Error ? error.message : String(error));
    }
  }

  private async renew(): Promise<void> {
    const { clock, table } = this.options;
    const sentMs = clock.monotonicMs();
    this.renewalSentMs = sentMs;
    const held = this.leases.filter(({ endReason }) => endReason === null);
    const renewed = await table.renew(held.map(({ fence }) => fence));
    for (const lease of held) {
      if (renewed.has(lease.fence.name)) lease.renewed(sentMs);
      else lease.end(`the lease of ${lease.fence.name} was taken by another host`);
    }
  }

  private get renewalMs(): number {
    return this.options.leaseMs / renewals;
  }

  /** Before a statement of the placement, so that a slow database does not cost the leases that are held. */
  private async renewIfDue(): Promise<void> {
    if (this.hasEnded || this.options.clock.monotonicMs() - this.renewalSentMs < this.renewalMs) return;
    await this.renew();
  }

  /** Takes units, and gives units to other hosts. */
  private async place(): Promise<void> {
    const { table, leaseMs, id } = this.options;
    const units = this.options.units();
    // A later version may be taken over during this round, which may lack some of these units.
    const version = this.options.version();
    const hosts = await table.hosts(leaseMs * hostLeases);
    await this.renewIfDue();
    const open = await table.open(units.map(({ name }) => name));
    const situation = { id, units, held: [...this.holdings.keys()], hosts, open };
    this.isDrainingHere = isDraining(situation);
    this.unplacedUnits = unplacedOf(situation);
    this.free.note(open);
    if (!this.isDrainingHere) await this.take(situation, version);
    await this.give(situation);
  }

  private async take(situation: Situation, version: number | null): Promise<void> {
    const { clock, id, leaseMs } = this.options;
    const nowMs = clock.monotonicMs();
    const elsewhere = reservedForOthers(situation);
    const mayTake = (name: string): boolean =>
      !this.holdings.has(name) && !elsewhere.has(name) && (this.notBeforeMs.get(name) ?? nowMs) <= nowMs;
    const reserved = await this.takeOf(reservedHere(situation).filter(mayTake), version);
    for (const { name } of reserved) await this.unreserve(name, id);
    const shares = sharesOf(situation);
    for (const { names, share } of shares) {
      const held = names.filter((name) => this.holdings.has(name)).length;
      await this.takeOf(names.filter(mayTake), version, share - held);
    }
    // Each set of labels has shares of its own, so another host may be too full to take its share.
    const isOverdue = (name: string): boolean => this.free.freeMs(name) >= leaseMs;
    const overdue = shares.flatMap(({ names }) => names).filter((name) => mayTake(name) && isOverdue(name));
    await this.takeOf(overdue, version);
  }

  private async takeOf(
    names: readonly string[],
    version: number | null,
    share = Number.POSITIVE_INFINITY,
  ): Promise<readonly Lease[]> {
    const { clock, table, capacity } = this.options;
    const limit = Math.min(share, capacity - this.holdings.size);
    if (names.length === 0 || limit <= 0) return [];
    await this.renewIfDue();
    await table.announce(names);
    await this.renewIfDue();
    const sentMs = clock.monotonicMs();
    const taken = await table.take(names, limit, version);
    for (const lease of taken) void this.prepare(lease, sentMs);
    return taken;
  }

  /** Starts to give one unit to another host. An order that cannot be carried out is cancelled: its unit stays here. */
  private async give(situation: Situation): Promise<void> {
    const { logger, onChange } = this.options;
    for (const { unit, ordered, obstacle } of this.departures.update(situation)) {
      logger.error({ unit, problem: obstacle }, 'the unit cannot be moved');
      if (ordered !== null) await this.unreserve(unit, ordered);
    }
    if (this.leases.some(({ isLeaving }) => isLeaving)) return;
    const next = this.departures.next(situation, (unit) => this.leaseOf(unit) !== null);
    if (next === null) return;
    const { unit, target } = next;
    logger.info({ unit, target: target?.name ?? null }, 'the unit is given to another host');
    this.leaseOf(unit)?.leave(
      target === null ? 'the unit is given to another host' : `the unit is moved to ${target.name}`,
    );
    onChange();
  }

  private async unreserve(unit: string, host: string): Promise<void> {
    await this.renewIfDue();
    await this.options.table.unreserve(unit, host);
  }

  private async prepare(taken: Lease, takenMs: number): Promise<void> {
    const { clock, leaseMs, shutdown, logger, onChange, prepare } = this.options;
    const onEnded = (lease: UnitLease): void => this.ended(lease);
    const lease = new UnitLease(taken, { clock, leaseMs, shutdown, takenMs, onEnded });
    const holding: Holding = { lease, isPrepared: false, isGiven: false };
    this.holdings.set(taken.name, holding);
    logger.info({ unit: taken.name, leaseToken: taken.token }, 'lease taken');
    try {
      await this.admit(holding, await prepare(lease, this));
      this.takenCount++;
      onChange();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      logger.error({ unit: taken.name, problem }, 'a lease was taken, but its unit cannot run here');
      lease.end(problem);
      if (this.holdings.get(taken.name) !== holding) return;
      this.retryLater(taken.name);
      await this.stopped(lease);
    }
  }

  /** @throws Error when the unit must not run under this lease any more */
  private async admit(holding: Holding, prepared: PreparedUnit): Promise<void> {
    const { lease } = holding;
    const isHeld = this.holdings.get(lease.fence.name) === holding;
    const problem = lease.endReason ?? (isHeld ? null : 'its lease was given back while it was prepared');
    if (problem !== null || this.isStopping) {
      await prepared.close();
      throw new Error(problem ?? 'the daemon is stopping');
    }
    prepared.admit();
    holding.isPrepared = true;
  }

  /** Leaves a unit to other hosts for a while: one of them may be able to run it. */
  private retryLater(unit: string): void {
    const { clock, leaseMs } = this.options;
    this.notBeforeMs.set(unit, clock.monotonicMs() + leaseMs);
  }

  private ended(lease: UnitLease): void {
    const { name, token } = lease.fence;
    const holding = this.holdings.get(name);
    if (holding?.lease !== lease || !holding.isPrepared || holding.isGiven || this.isStopping) return;
    this.lostCount++;
    this.options.logger.error(
      { unit: name, leaseToken: token, reason: lease.endReason },
      'lease ended; its unit stops here',
    );
    this.options.onChange();
  }

  /** Releases leases. They are read in their turn: a token may be raised before. One that is not released expires. */
  private async giveBack(leasesOf: () => readonly Lease[]): Promise<void> {
    const { table, logger } = this.options;
    await this.inTurn(async () => {
      const leases = leasesOf();
      if (leases.length > 0) await table.release(leases);
    }).catch((error: unknown) =>
      logger.error(
        { units: leasesOf().map(({ name }) => name), problem: String(error) },
        'leases could not be released',
      ),
    );
  }

  private noteProblem(problem: string | null): void {
    if (problem !== null && this.problemText === null) {
      this.options.logger.error({ problem }, 'the leases could not be renewed');
    }
    if (problem === null && this.problemText !== null) this.options.logger.info('the leases are renewed again');
    this.problemText = problem;
  }

  private inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
