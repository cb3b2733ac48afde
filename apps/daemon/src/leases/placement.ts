import type { HostRow, OpenLease } from '@libs/postgres';
import type { Unit } from './units';

/** A host that may run units, as its row shows it to the others. */
export type OtherHost = Pick<HostRow, 'id' | 'name' | 'capacity' | 'isDraining' | 'labels' | 'leases'>;

export type PlacedUnit = Pick<Unit, 'name' | 'runsOn'>;

/** The facts that decide which units a host takes, and which it gives to others. */
export interface Situation {
  /** Id of this host. */
  readonly id: string;
  /** All units, in the order of the configuration. */
  readonly units: readonly PlacedUnit[];
  /** Names of the units that this host holds the leases of. */
  readonly held: readonly string[];
  /** Hosts that run, this one included. */
  readonly hosts: readonly OtherHost[];
  /** Leases that are free, or reserved for a host. */
  readonly open: readonly OpenLease[];
}

/** A unit that must leave this host. */
export interface Departure {
  readonly unit: string;
  /** Id of the host that an operator moves it to; null: any other host may take it. */
  readonly ordered: string | null;
  /** The host of the order; null if it does not run, or if there is none. */
  readonly target: OtherHost | null;
  /** Why the unit stays here for now; null if another host can take it. */
  readonly obstacle: string | null;
}

/** Units that are reserved for another running host: only that host may take them. */
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

/** Units that are held here and must leave: first those that an operator moves. */
export function departuresOf(situation: Situation): readonly Departure[] {
  const { id, held, open, hosts } = situation;
  const placed = new Map(situation.units.map((unit) => [unit.name, unit]));
  const blocked = (unit: string): string | null => {
    const canLeave = hosts.some((host) => host.id !== id && obstacleOf(host, placed.get(unit)) === null);
    return canLeave ? null : 'no other host may take it';
  };
  const targets = new Map(open.map(({ name, reservedFor }) => [name, reservedFor]));
  const moved = held.flatMap((unit): Departure[] => {
    const ordered = targets.get(unit) ?? null;
    if (ordered === null || ordered === id) return [];
    const target = hosts.find((host) => host.id === ordered) ?? null;
    const obstacle = target === null ? 'its host is not running' : obstacleOf(target, placed.get(unit));
    return [{ unit, ordered, target, obstacle }];
  });
  const own = hosts.find((host) => host.id === id);
  const rest = held.filter((unit) => {
    const mustLeave = own !== undefined && (own.isDraining || missing(own, placed.get(unit)).length > 0);
    return mustLeave && moved.every((departure) => departure.unit !== unit);
  });
  return [...moved, ...rest.map((unit) => ({ unit, ordered: null, target: null, obstacle: blocked(unit) }))];
}

/** Units that need the same labels, and the share of them that this host takes. */
export interface Share {
  readonly names: readonly string[];
  /** Maximum number of them that this host takes, while the other hosts take theirs. */
  readonly share: number;
}

/** The shares of this host. Units that the fewest hosts may run come first, while there is room for them. */
export function sharesOf({ id, units, hosts }: Situation): readonly Share[] {
  const own = hosts.find((host) => host.id === id);
  if (!own) return [];
  const groups = new Map<string, PlacedUnit[]>();
  for (const unit of units) {
    if (missing(own, unit).length > 0) continue;
    const key = [...unit.runsOn].sort().join();
    groups.set(key, [...(groups.get(key) ?? []), unit]);
  }
  const shares = [...groups.values()].map((group) => {
    const able = hosts.filter((host) => !host.isDraining && missing(host, group[0]).length === 0);
    const capacities = able.map(({ capacity }) => capacity);
    const names = group.map(({ name }) => name);
    return { names, hosts: able.length, share: shareOf(names.length, capacities, own.capacity) };
  });
  return shares.sort((one, other) => one.hosts - other.hosts);
}

/** A unit that does not run, and that no running host may take. */
export interface Unplaced {
  readonly unit: string;
  readonly problem: string;
}

export function unplacedOf({ units, hosts, open }: Situation): readonly Unplaced[] {
  const free = new Set(open.filter(({ isFree }) => isFree).map(({ name }) => name));
  return units
    .filter(({ name }) => free.has(name))
    .flatMap((unit) => {
      const able = hosts.filter((host) => missing(host, unit).length === 0);
      if (able.length === 0) return [{ unit: unit.name, problem: `no running host has ${named(unit.runsOn)}` }];
      if (able.some((host) => obstacleOf(host, unit) === null)) return [];
      return [{ unit: unit.name, problem: able.map((host) => obstacleOf(host, unit)).join(', ') }];
    });
}

/** Why a host cannot take a unit; null if it can. */
function obstacleOf(host: OtherHost, unit: PlacedUnit | undefined): string | null {
  const { name, capacity, leases, isDraining: drains } = host;
  const lacks = missing(host, unit);
  if (lacks.length > 0) return `host ${name} does not have ${named(lacks)}`;
  if (drains) return `host ${name} is draining`;
  return leases >= capacity ? `host ${name} has no room` : null;
}

/** Labels that a unit needs and a host does not have. */
function missing({ labels }: OtherHost, unit: PlacedUnit | undefined): readonly string[] {
  return (unit?.runsOn ?? []).filter((label) => !labels.includes(label));
}

function named(labels: readonly string[]): string {
  return `the label${labels.length === 1 ? '' : 's'} ${labels.join(', ')}`;
}

/**
 * How many units a host runs: units are spread evenly over the hosts, and a host that is full leaves the rest to the
 * others. The shares of all hosts cover all units if their capacities do.
 * @param units of the whole fleet
 * @param capacities of all hosts, this one included
 * @param own capacity of this host
 */
export function shareOf(units: number, capacities: readonly number[], own: number): number {
  let left = units;
  let hosts = capacities.length;
  for (const capacity of [...capacities].sort((a, b) => a - b)) {
    const level = Math.ceil(left / hosts);
    if (capacity >= level) return Math.min(own, level);
    left -= capacity;
    hosts--;
  }
  return own;
}
