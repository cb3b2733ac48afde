import type { Clock, Timer } from '@libs/clock';
import type { HostRow, Lease } from '@libs/postgres';
import type { Logger } from 'pino';
import type { Shutdown } from '../shutdown';
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
  hosts(withinMs: number): Promise<Pick<HostRow, 'id' | 'capacity' | 'isDraining'>[]>;
}

export interface KeeperOptions {
  readonly table: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
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

  constructor(private readonly options: KeeperOptions) {}

  /** Why the leases could not be renewed at the last attempt; null if they were. */
  get problem(): string | null {
    return this.problemText;
  }

  /** Units that were taken here, and leases that ended by a loss, since the start. */
  get counts(): { readonly taken: number; readonly lost: number } {
    return { taken: this.takenCount, lost: this.lostCount };
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
      if (this.rounds > 1 && !this.isStopping) await this.take();
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

  private async take(): Promise<void> {
    const { clock, table, leaseMs, capacity, units } = this.options;
    const nowMs = clock.monotonicMs();
    const all = units();
    const free = all.filter((name) => !this.holdings.has(name) && (this.notBeforeMs.get(name) ?? nowMs) <= nowMs);
    if (free.length === 0) return;
    const hosts = (await table.hosts(leaseMs * hostLeases)).filter(({ isDraining }) => !isDraining);
    const capacities = hosts.map((host) => host.capacity);
    const limit = shareOf(all.length, capacities.length > 0 ? capacities : [capacity], capacity) - this.holdings.size;
    if (limit <= 0) return;
    await table.announce(free);
    const sentMs = clock.monotonicMs();
    for (const lease of await table.take(free, limit)) void this.prepare(lease, sentMs);
  }

  private async prepare(taken: Lease, takenMs: number): Promise<void> {
    const { clock, leaseMs, shutdown, logger, onChange, prepare } = this.options;
    const onEnded = (lease: UnitLease): void => this.ended(lease);
    const lease = new UnitLease(taken, { clock, leaseMs, shutdown, takenMs, onEnded });
    const holding: Holding = { lease, isPrepared: false };
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
    if (holding?.lease !== lease || !holding.isPrepared || this.isStopping) return;
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
