import type { HostRow, OpenLease } from '@libs/postgres';

/** A host that may run units, as the others see it. */
export type OtherHost = Pick<HostRow, 'id' | 'name' | 'capacity' | 'isDraining' | 'leases'>;

/** What a host knows when it decides which units it takes, and which it gives to others. */
export interface Situation {
  /** Id of this host. */
  readonly id: string;
  /** Names of all units, in the order of the configuration. */
  readonly units: readonly string[];
  /** Names of the units whose leases are held here. */
  readonly held: readonly string[];
  /** Hosts that run, this one included. */
  readonly hosts: readonly OtherHost[];
  /** Leases that are free, or reserved for a host. */
  readonly open: readonly OpenLease[];
}

/** A unit that shall leave this host. */
export interface Departure {
  readonly unit: string;
  /** Id of the host that an operator moves it to; null: this host drains, so that any other host may take it. */
  readonly ordered: string | null;
  /** The host of the order; null if it does not run, or if there is none. */
  readonly target: OtherHost | null;
  /** Why the unit stays here for now; null if another host can take it. */
  readonly obstacle: string | null;
}

/** Units that are reserved for another host that runs: it alone may take them. */
export function reservedForOthers({ id, hosts, open }: Situation): ReadonlySet<string> {
  const others = new Set(hosts.filter((host) => host.id !== id && !host.isDraining).map((host) => host.id));
  return new Set(open.filter(({ reservedFor }) => others.has(reservedFor ?? '')).map(({ name }) => name));
}

/** Free units that are reserved for this host. */
export function reservedHere({ id, open }: Situation): readonly string[] {
  return open.filter(({ isFree, reservedFor }) => isFree && reservedFor === id).map(({ name }) => name);
}

/** Whether an operator has asked this host to give its units away and to take none. */
export function isDraining({ id, hosts }: Pick<Situation, 'id' | 'hosts'>): boolean {
  return hosts.some((host) => host.id === id && host.isDraining);
}

/** Units that are held here and shall leave, those of an order first. */
export function departuresOf(situation: Situation): readonly Departure[] {
  const { id, held, open, hosts } = situation;
  const targets = new Map(open.map(({ name, reservedFor }) => [name, reservedFor]));
  const moved = held.flatMap((unit): Departure[] => {
    const ordered = targets.get(unit) ?? null;
    if (ordered === null || ordered === id) return [];
    const target = hosts.find((host) => host.id === ordered) ?? null;
    return [{ unit, ordered, target, obstacle: target === null ? 'its host does not run' : obstacleOf(target) }];
  });
  if (!isDraining(situation)) return moved;
  const canLeave = hosts.some((host) => host.id !== id && obstacleOf(host) === null);
  const obstacle = canLeave ? null : 'no other host may take it';
  const rest = held.filter((unit) => moved.every((departure) => departure.unit !== unit));
  return [...moved, ...rest.map((unit) => ({ unit, ordered: null, target: null, obstacle }))];
}

/** Why a host takes no unit; null if it may. */
function obstacleOf({ name, capacity, leases, isDraining: drains }: OtherHost): string | null {
  if (drains) return `host ${name} is draining`;
  return leases >= capacity ? `host ${name} has no room` : null;
}
