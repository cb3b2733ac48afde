import type { Clock } from '@libs/clock';
import { departuresOf, type Departure, type Situation } from './placement';

/** The units that leave this host, one after the other. */
export class Departures {
  private all: readonly Departure[] = [];
  /** The unit that left last, and how long the next one waits for a host to take it. */
  private last: { readonly unit: string; readonly untilMs: number } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  /** Units that shall leave and cannot, with the reason. */
  get stuck(): readonly { readonly unit: string; readonly obstacle: string }[] {
    return this.all.flatMap(({ unit, obstacle }) => (obstacle === null ? [] : [{ unit, obstacle }]));
  }

  /** @returns orders of an operator that cannot be followed */
  update(situation: Situation): readonly Departure[] {
    this.all = departuresOf(situation);
    return this.all.filter(({ ordered, obstacle }) => ordered !== null && obstacle !== null);
  }

  /** What leaves next; null while no host has taken the unit before it, for the duration of a lease. */
  next({ open }: Situation, isReady: (unit: string) => boolean): Departure | null {
    const { last, clock } = this;
    const isFree = open.some((lease) => lease.isFree && lease.name === last?.unit);
    if (last !== null && isFree && clock.monotonicMs() < last.untilMs) return null;
    return this.all.find(({ unit, obstacle }) => obstacle === null && isReady(unit)) ?? null;
  }

  left(unit: string): void {
    this.last = { unit, untilMs: this.clock.monotonicMs() + this.leaseMs };
  }
}
