import type { Timer } from '@libs/clock';
import type { Lease } from '@libs/postgres';
import { renewalMsOf, stepKeeper } from './keeper-core';
import type { KeeperOptions, PreparedUnit, TokenRaiser } from './keeper-options';
import { blankKeeper, runnableLease, type HeldLease, type KeeperEffect, type KeeperEvent } from './keeper-state';
import type { KeeperState, LeaseAnswer, LeaseRequest } from './keeper-state';
import type { Unplaced } from './placement';
import { UnitLease } from './unit-lease';

type EffectOf<Kind extends KeeperEffect['kind']> = Extract<KeeperEffect, { kind: Kind }>;

/** A caller that waits for the reply to its event. */
interface Asker {
  readonly resolve: (lease: Lease | null) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Takes, renews and releases the leases of this host: carries out what the core decides, in its order, and reports to the
 * core what came of it.
 */
export class LeaseKeeper implements TokenRaiser {
  private state: KeeperState = blankKeeper;
  private readonly effects: KeeperEffect[] = [];
  private isPerforming = false;
  private readonly units = new Map<number, UnitLease>();
  private readonly prepared = new Map<number, PreparedUnit>();
  private readonly askers = new Map<number, Asker>();
  private asks = 0;
  private timer: Timer | null = null;

  constructor(private readonly options: KeeperOptions) {}

  /** Why the leases could not be renewed at the last attempt; null if they were. */
  get problem(): string | null {
    return this.state.problem;
  }

  /** Numbers since the start: units taken, leases lost, units given to other hosts. */
  get counts(): KeeperState['counts'] {
    return this.state.counts;
  }

  /** Whether an operator has asked this host to give its units away. */
  get isDraining(): boolean {
    return this.state.isDrained;
  }

  /** Units that must leave this host but cannot, with the reason. */
  get stuck(): readonly { readonly unit: string; readonly obstacle: string }[] {
    return this.state.departures.flatMap(({ unit, obstacle }) => (obstacle === null ? [] : [{ unit, obstacle }]));
  }

  /** Units of the fleet that do not run, and that no running host may take. */
  get unplaced(): readonly Unplaced[] {
    return this.state.unplaced;
  }

  /** The leases that this host holds, and those that have ended while their units have not stopped yet. */
  get leases(): readonly UnitLease[] {
    return [...this.state.holdings.values()].flatMap(({ lease }) => this.units.get(lease.id) ?? []);
  }

  /** The lease of a unit that may run here now; null otherwise. */
  leaseOf(unit: string): UnitLease | null {
    const lease = runnableLease(this.state, unit);
    return (lease && this.units.get(lease.id)) ?? null;
  }

  /** Starts the rounds. Leases are taken from the second on: by then, hosts that start together have their rows. */
  start(): void {
    const { clock, leaseMs } = this.options;
    this.timer = clock.every(Math.ceil(renewalMsOf(leaseMs)), () => void this.round());
    void this.round();
  }

  /**
   * Renews the leases that are held, and takes free ones. A call during a round has another round follow. Resolves when
   * the last round has ended; never rejects.
   */
  async round(): Promise<void> {
    await this.ask((ask) => ({ kind: 'round', ask }));
  }

  /** Raises the token of a lease that is being prepared. @throws Error when it is lost */
  async raiseAbove({ id, fence }: UnitLease, stored: number): Promise<Lease> {
    const lease = await this.ask((ask) => ({ kind: 'raise', lease: id, unit: fence.name, stored, ask }));
    if (lease === null) throw new Error(`the lease of ${fence.name} is lost`);
    return lease;
  }

  /** Ends the lease of a leaving unit, when it has stopped or the time for that is over; {@link stopped} releases it. */
  handedOver(unit: string): void {
    this.handle({ kind: 'handed over', unit });
  }

  /** Ends the lease of a unit that cannot run here. The unit is not taken again for the duration of a lease. */
  giveUp(unit: string, problem: string): void {
    this.handle({ kind: 'given up', unit, problem });
  }

  /** Releases the lease of a unit that has stopped here, if it is still held; it may be taken again then. */
  async stopped({ id }: UnitLease): Promise<void> {
    await this.ask((ask) => ({ kind: 'stopped', lease: id, ask }));
  }

  /** Takes no more leases, but still renews those that are held. */
  drain(): void {
    this.handle({ kind: 'drain' });
  }

  /** Releases all leases. All of their units must have stopped. */
  async end(): Promise<void> {
    this.timer?.cancel();
    await this.ask((ask) => ({ kind: 'stop', ask }));
  }

  /** Hands the core an event with the number of a caller. @returns its reply */
  private ask(event: (ask: number) => KeeperEvent): Promise<Lease | null> {
    const ask = ++this.asks;
    return new Promise((resolve, reject) => {
      this.askers.set(ask, { resolve, reject });
      this.handle(event(ask));
    });
  }

  /** An event that comes of an effect has its effects carried out after those that are due. */
  private handle(event: KeeperEvent): void {
    const { state, effects } = stepKeeper(this.state, event, this.options.clock.monotonicMs(), this.options);
    const hasChanged = state.holdings !== this.state.holdings;
    this.state = state;
    if (hasChanged) this.updateUnits();
    this.effects.push(...effects);
    if (this.isPerforming) return;
    this.isPerforming = true;
    try {
      for (let effect = this.effects.shift(); effect; effect = this.effects.shift()) this.perform(effect);
    } finally {
      this.isPerforming = false;
    }
  }

  /** A unit whose lease is no longer held here keeps what was known of it last. */
  private updateUnits(): void {
    const held = new Map([...this.state.holdings.values()].map(({ lease }) => [lease.id, lease]));
    for (const [id, lease] of held) {
      const unit = this.units.get(id);
      if (unit) unit.update(lease);
      else this.units.set(id, this.unitOf(lease));
    }
    for (const id of this.units.keys()) if (!held.has(id)) this.units.delete(id);
  }

  private unitOf(lease: HeldLease): UnitLease {
    const { clock, leaseMs, shutdown } = this.options;
    const onFencedOut = (reason: string): void => this.handle({ kind: 'end', lease: lease.id, reason });
    return new UnitLease(lease, { clock, leaseMs, shutdown, onFencedOut });
  }

  private perform(effect: KeeperEffect): void {
    const { logger, onChange } = this.options;
    switch (effect.kind) {
      case 'send':
        return this.send(effect.request);
      case 'prepare':
        return void this.prepare(effect);
      case 'admit':
        return this.preparedUnit(effect.lease)?.admit();
      case 'close':
        return void this.close(effect);
      case 'discard':
        return void this.discard(effect);
      case 'reply':
        return this.reply(effect);
      case 'changed':
        return onChange();
      case 'log':
        return logger[effect.level](effect.fields, effect.text);
    }
  }

  private send(request: LeaseRequest): void {
    this.answerOf(request).then(
      (answer) => this.handle({ kind: 'answered', answer }),
      (error: unknown) => this.handle({ kind: 'failed', problem: problemOf(error) }),
    );
  }

  /** @throws Error of the database */
  private async answerOf(request: LeaseRequest): Promise<LeaseAnswer> {
    const { table } = this.options;
    switch (request.kind) {
      case 'renew':
        return { kind: 'renewed', names: [...(await table.renew(request.leases.map(({ fence }) => fence)))] };
      case 'hosts': {
        // A later version may be taken over meanwhile, which may lack some of these units.
        const [units, version] = [this.options.units(), this.options.version()];
        return { kind: 'hosts', hosts: await table.hosts(request.withinMs), units, version };
      }
      case 'open':
        return { kind: 'open', open: await table.open(request.names) };
      case 'take':
        return { kind: 'taken', leases: await table.take(request.names, request.limit, request.version) };
      case 'raise':
        return { kind: 'raised', lease: await table.raiseAbove(request.lease.fence, request.stored) };
      case 'announce':
        await table.announce(request.names);
        break;
      case 'unreserve':
        await table.unreserve(request.unit, request.host);
        break;
      case 'release':
        await table.release(request.leases.map(({ fence }) => fence));
        break;
      case 'leave':
        await table.leave();
        break;
    }
    return { kind: 'done' };
  }

  private async prepare({ lease: { id, fence } }: EffectOf<'prepare'>): Promise<void> {
    const unit = this.units.get(id);
    if (!unit) return;
    try {
      this.prepared.set(id, await this.options.prepare(unit, this));
      this.handle({ kind: 'prepared', lease: id, unit: fence.name });
    } catch (error) {
      this.handle({ kind: 'not prepared', lease: id, unit: fence.name, problem: problemOf(error) });
    }
  }

  private async close({ lease, unit, problem }: EffectOf<'close'>): Promise<void> {
    const failed = await closingProblem(this.preparedUnit(lease));
    this.handle({ kind: 'not prepared', lease, unit, problem: failed ?? problem });
  }

  /** Prepared, and neither admitted nor closed yet. */
  private preparedUnit(lease: number): PreparedUnit | null {
    const prepared = this.prepared.get(lease) ?? null;
    this.prepared.delete(lease);
    return prepared;
  }

  private async discard({ lease, unit, ask }: EffectOf<'discard'>): Promise<void> {
    try {
      await this.options.discard(unit);
    } catch (error) {
      return this.handle({ kind: 'not discarded', unit, problem: problemOf(error), ask });
    }
    this.handle({ kind: 'discarded', lease, ask });
  }

  private reply({ ask, lease, problem }: EffectOf<'reply'>): void {
    const asker = this.askers.get(ask);
    this.askers.delete(ask);
    if (problem === null) asker?.resolve(lease);
    else asker?.reject(new Error(problem));
  }
}

/** @returns why it could not be closed; null if it was */
async function closingProblem(prepared: PreparedUnit | null): Promise<string | null> {
  try {
    await prepared?.close();
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
