import type { Clock, Timer } from '@libs/clock';
import type { HostRow, Lease, OpenLease } from '@libs/postgres';
import type { Logger } from 'pino';
import type { Shutdown } from '../shutdown';
import { departuresOf, isDraining, reservedForOthers, reservedHere, type Departure, type Situation } from './placement';
import { shareOf } from './share';
import { UnitLease } from './unit-lease';

/** The rows of the leases, as `LeaseTable` has them. */
export interface Leases {
  announce(names: readonly string[]): Promise<void>;
  take(names: readonly string[], limit: number): Promise<Lease[]>;
  renew(leases: readonly Lease[]): Promise<ReadonlySet<string>>;
  release(leases: readonly Lease[]): Promise<void>;
  leave(): Promise<void>;
  raiseAbove(lease: Lease, stored: number): Promise<Lease | null>;
  hosts(withinMs: number): Promise<HostRow[]>;
  open(names: readonly string[]): Promise<OpenLease[]>;
  unreserve(name: string, host: string): Promise<void>;
}

export interface KeeperOptions {
  readonly table: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Of this start of the daemon, as its row has it. */
  readonly id: string;
  readonly capacity: number;
  /** That of the daemon. */
  readonly shutdown: Shutdown;
  /** Names of all units of the configuration. */
  readonly units: () => readonly string[];
  /** Prepares a unit that was taken. @throws Error when it cannot run here now */
  readonly prepare: (lease: UnitLease, keeper: LeaseKeeper) => Promise<PreparedUnit>;
  /** Closes what was prepared for a unit that no longer runs here. */
  readonly discard: (unit: string) => Promise<void>;
  /** Called when a unit is prepared, and when one has to stop. */
  readonly onChange: () => void;
}

/** A unit whose fences are raised and whose state is read. */
export interface PreparedUnit {
  /** Lets it run. Not called if its lease has ended, or was given back, while it was prepared. */
  admit(): void;
  /** Closes what was prepared and is not admitted. */
  close(): Promise<void>;
}

/** Renewals in the duration of a lease: several may fail before entries stop. */
const renewals = 5;
/** A host is counted for as long as it may hold leases. */
const hostLeases = 1.5;

interface Holding {
  readonly lease: UnitLease;
  /** Whether its strategies may run: its fences are raised and its state is read. */
  isPrepared: boolean;
  /** Whether it ends because it is given to another host. */
  isGiven: boolean;
}

/** Takes, renews and releases the leases of this host. */
export class LeaseKeeper {
  private readonly holdings = new Map<string, Holding>();
  /** When units that could not be prepared here are tried again, on the monotonic clock. */
  private readonly notBeforeMs = new Map<string, number>();
  private timer: Timer | null = null;
  /** One statement after the other, so that a raised token is not renewed by its old value. */
  private last: Promise<unknown> = Promise.resolve();
  private rounds = 0;
  private isDue = false;
  private working: Promise<void> | null = null;
  private isStopping = false;
  private problemText: string | null = null;
  private takenCount = 0;
  private lostCount = 0;
  private givenCount = 0;
  private departures: readonly Departure[] = [];
  private isDrainingHere = false;
  /** The unit that was given away last, and how long the next one waits for a host to take it. */
  private given: { readonly unit: string; readonly untilMs: number } | null = null;

  constructor(private readonly options: KeeperOptions) {}

  /** Why the leases could not be renewed at the last attempt; null if they were. */
  get problem(): string | null {
    return this.problemText;
  }

  /** Units that were taken here, leases that ended by a loss, and units given to other hosts, since the start. */
  get counts(): { readonly taken: number; readonly lost: number; readonly given: number } {
    return { taken: this.takenCount, lost: this.lostCount, given: this.givenCount };
  }

  /** Whether an operator has asked this host to give its units away. */
  get isDraining(): boolean {
    return this.isDrainingHere;
  }

  /** Units that shall leave this host and cannot, with the reason. */
  get stuck(): readonly { readonly unit: string; readonly obstacle: string }[] {
    return this.departures.flatMap(({ unit, obstacle }) => (obstacle === null ? [] : [{ unit, obstacle }]));
  }

  /** The leases of this host: those it holds, and those that ended while their units still have to stop. */
  get leases(): readonly UnitLease[] {
    return [...this.holdings.values()].map(({ lease }) => lease);
  }

  /** The lease of a unit that may run here now; null otherwise. */
  leaseOf(unit: string): UnitLease | null {
    const holding = this.holdings.get(unit);
    return holding?.isPrepared === true && holding.lease.endReason === null ? holding.lease : null;
  }

  /** Begins to take leases; in the second round, when every host that starts now is known to the others. */
  start(): void {
    const { clock, leaseMs } = this.options;
    this.timer = clock.every(Math.ceil(leaseMs / renewals), () => void this.round());
    void this.round();
  }

  /**
   * Renews what is held, and takes what is free and due. Asked for during a round, another one follows it. Resolves when
   * the last one has ended; never rejects.
   */
  round(): Promise<void> {
    this.isDue = true;
    return (this.working ??= this.work().finally(() => (this.working = null)));
  }

  /** Raises the token of a lease that is being prepared. @throws Error when it is lost */
  async raiseAbove(lease: UnitLease, stored: number): Promise<Lease> {
    return this.inTurn(async () => {
      const raised = await this.options.table.raiseAbove(lease.fence, stored);
      if (raised === null || lease.endReason !== null) throw new Error(`the lease of ${lease.fence.name} is lost`);
      lease.raised(raised);
      return raised;
    });
  }

  /** A unit that leaves has stopped, or the time for it is over: its lease ends here, and {@link stopped} gives it back. */
  handedOver(unit: string): void {
    const holding = this.holdings.get(unit);
    if (!holding?.lease.isLeaving) return;
    const { clock, leaseMs } = this.options;
    holding.isGiven = true;
    this.givenCount++;
    this.given = { unit, untilMs: clock.monotonicMs() + leaseMs };
    holding.lease.end('given to another host');
  }

  /** A unit has stopped here. Its lease is released if it is still held, and may be taken again. */
  async stopped(lease: UnitLease): Promise<void> {
    const { name } = lease.fence;
    // The unit may have been taken again: its next lease stays.
    if (this.holdings.get(name)?.lease !== lease) return;
    // Its last writes are made under the lease.
    await this.options.discard(name);
    await this.giveBack([lease.fence]);
    if (this.holdings.get(name)?.lease === lease) this.holdings.delete(name);
  }

  /** Takes no more leases. Those that are held are still renewed. */
  drain(): void {
    this.isStopping = true;
  }

  /** Releases all leases. All of their units must have stopped. */
  async end(): Promise<void> {
    this.isStopping = true;
    this.timer?.cancel();
    for (const lease of this.leases) lease.end('the daemon is stopping');
    await this.giveBack(this.leases.map(({ fence }) => fence));
    this.holdings.clear();
    await this.inTurn(() => this.options.table.leave()).catch(() => undefined);
  }

  private async work(): Promise<void> {
    while (this.isDue) {
      this.isDue = false;
      await this.inTurn(() => this.renewAndTake());
    }
  }

  private async renewAndTake(): Promise<void> {
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
    const held = this.leases.filter(({ endReason }) => endReason === null);
    const renewed = await table.renew(held.map(({ fence }) => fence));
    for (const lease of held) {
      if (renewed.has(lease.fence.name)) lease.renewed(sentMs);
      else lease.end(`the lease of ${lease.fence.name} was taken by another host`);
    }
  }

  /** Takes units, and gives units to other hosts. */
  private async place(): Promise<void> {
    const { table, leaseMs, units, id } = this.options;
    const names = units();
    const hosts = await table.hosts(leaseMs * hostLeases);
    const open = await table.open(names);
    const situation = { id, units: names, held: [...this.holdings.keys()], hosts, open };
    this.isDrainingHere = isDraining(situation);
    if (!this.isDrainingHere) await this.take(situation);
    await this.give(situation);
  }

  private async take(situation: Situation): Promise<void> {
    const { clock, table, capacity, id } = this.options;
    const nowMs = clock.monotonicMs();
    const isDue = (name: string): boolean => !this.holdings.has(name) && (this.notBeforeMs.get(name) ?? nowMs) <= nowMs;
    const ordered = await this.takeOf(reservedHere(situation).filter(isDue), capacity - this.holdings.size);
    for (const { name } of ordered) await table.unreserve(name, id);
    const { units, hosts } = situation;
    const elsewhere = reservedForOthers(situation);
    const free = units.filter((name) => isDue(name) && !elsewhere.has(name));
    const capacities = hosts.filter((host) => !host.isDraining).map((host) => host.capacity);
    const share = shareOf(units.length, capacities.length > 0 ? capacities : [capacity], capacity);
    await this.takeOf(free, share - this.holdings.size);
  }

  private async takeOf(names: readonly string[], limit: number): Promise<readonly Lease[]> {
    const { clock, table } = this.options;
    if (names.length === 0 || limit <= 0) return [];
    await table.announce(names);
    const sentMs = clock.monotonicMs();
    const taken = await table.take(names, limit);
    for (const lease of taken) void this.prepare(lease, sentMs);
    return taken;
  }

  /** Begins to give away one unit, when the one before has been taken. */
  private async give(situation: Situation): Promise<void> {
    const { clock, logger, onChange } = this.options;
    this.departures = departuresOf(situation);
    await this.refuse(this.departures);
    const isWaited =
      situation.open.some(({ name, isFree }) => isFree && name === this.given?.unit) &&
      clock.monotonicMs() < (this.given?.untilMs ?? 0);
    if (isWaited || this.leases.some(({ isLeaving }) => isLeaving)) return;
    const next = this.departures.find(({ unit, obstacle }) => obstacle === null && this.leaseOf(unit) !== null);
    if (!next) return;
    const { unit, target } = next;
    logger.info({ unit, target: target?.name ?? null }, 'the unit is given to another host');
    this.leaseOf(unit)?.leave(target === null ? 'this host is draining' : `the unit is moved to host ${target.name}`);
    onChange();
  }

  /** An order for a host that cannot take the unit ends: the unit stays here. */
  private async refuse(departures: readonly Departure[]): Promise<void> {
    const { table, logger } = this.options;
    for (const { unit, ordered, obstacle } of departures) {
      if (ordered === null || obstacle === null) continue;
      logger.error({ unit, problem: obstacle }, 'the unit cannot be moved');
      await table.unreserve(unit, ordered);
    }
  }

  private async prepare(taken: Lease, takenMs: number): Promise<void> {
    const { clock, leaseMs, shutdown, logger, onChange, prepare } = this.options;
    const onEnded = (lease: UnitLease): void => this.ended(lease);
    const lease = new UnitLease(taken, { clock, leaseMs, shutdown, takenMs, onEnded });
    const holding: Holding = { lease, isPrepared: false, isGiven: false };
    this.holdings.set(taken.name, holding);
    logger.info({ unit: taken.name, token: taken.token }, 'lease taken');
    try {
      await this.admit(holding, await prepare(lease, this));
      this.takenCount++;
      onChange();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      logger.error({ unit: taken.name, problem }, 'a lease was taken, but its unit cannot run here');
      lease.end(problem);
      if (this.holdings.get(taken.name) !== holding) return;
      // Another host may be able to.
      this.notBeforeMs.set(taken.name, clock.monotonicMs() + leaseMs);
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

  private ended(lease: UnitLease): void {
    const { name, token } = lease.fence;
    const holding = this.holdings.get(name);
    if (holding?.lease !== lease || !holding.isPrepared || holding.isGiven || this.isStopping) return;
    this.lostCount++;
    this.options.logger.error({ unit: name, token, reason: lease.endReason }, 'lease ended; its unit stops here');
    this.options.onChange();
  }

  /** Releases leases. One that cannot be released expires. */
  private async giveBack(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const { table, logger } = this.options;
    await this.inTurn(() => table.release(leases)).catch((error: unknown) =>
      logger.error({ units: leases.map(({ name }) => name), problem: String(error) }, 'leases could not be released'),
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
