import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import type { DaemonFile } from '../daemon-file/daemon-file';

/**
 * What runs on one host as a whole: a standalone strategy, or a portfolio with its children, so that the limits of the
 * portfolio hold.
 */
export interface Unit {
  readonly name: string;
  readonly strategies: readonly StrategySpec[];
  readonly portfolio: PortfolioSpec | null;
  /** Labels that its host must have. */
  readonly runsOn: readonly string[];
}

/** The units of a configuration, in its order. */
export function unitsOf({ strategies, portfolios }: DaemonFile): readonly Unit[] {
  const names = new Set(strategies.map(unitOf));
  return [...names].map((name) => {
    const own = strategies.filter((spec) => unitOf(spec) === name);
    const portfolio = portfolios.find((one) => one.name === name) ?? null;
    return { name, strategies: own, portfolio, runsOn: own[0]?.runsOn ?? [] };
  });
}

/** The name of the unit that a strategy belongs to. */
export function unitOf({ name, portfolio }: Pick<StrategySpec, 'name' | 'portfolio'>): string {
  return portfolio ?? name;
}

/** The part of a configuration that some units make; the gateways are shared. */
export function partOf(file: DaemonFile, names: ReadonlySet<string>): DaemonFile {
  return {
    gateways: file.gateways,
    strategies: file.strategies.filter((spec) => names.has(unitOf(spec))),
    portfolios: file.portfolios.filter(({ name }) => names.has(name)),
  };
}

/** What the fences of a unit are raised for, to compare it. */
export function fencedMagics(unit: Unit): string {
  return JSON.stringify([...magicsOf(unit)].sort());
}

/** The magic numbers of a unit on each of its gateways, by the gateway's name. */
export function magicsOf({ strategies }: Unit): ReadonlyMap<string, readonly number[]> {
  const magics = new Map<string, Set<number>>();
  for (const { magic, streams } of strategies) {
    for (const { broker } of streams) magics.set(broker, (magics.get(broker) ?? new Set()).add(magic));
  }
  return new Map([...magics].map(([gateway, all]) => [gateway, [...all].sort((a, b) => a - b)]));
}

/** The magic numbers of a unit, each with its gateway, to compare them with those of another unit. */
export function magicKeysOf(unit: Unit): readonly string[] {
  return [...magicsOf(unit)].flatMap(([gateway, magics]) => magics.map((magic) => `magic ${magic} on ${gateway}`));
}

/**
 * Why a configuration cannot replace the present one yet: a unit would take a magic number from a unit that still runs.
 * Once the fences of the new unit are raised, the gateways refuse requests of the old one, also those that cancel its
 * orders.
 * @param held names of the units that some host holds the leases of
 */
export function movedMagics(before: DaemonFile, after: DaemonFile, held: ReadonlySet<string>): readonly string[] {
  const owners = new Map(unitsOf(before).flatMap((unit) => magicKeysOf(unit).map((key) => [key, unit.name])));
  const known = new Set([...unitsOf(before), ...unitsOf(after)].map(({ name }) => name));
  // Their magic numbers are in neither of the two versions.
  const removed = [...held].filter((name) => !known.has(name));
  return unitsOf(after).flatMap((unit) =>
    magicKeysOf(unit).flatMap((key) => {
      const owner = owners.get(key);
      if (owner === unit.name) return [];
      if (owner === undefined) return removed.map((name) => `${unit.name} may take ${key} from ${stillRuns(name)}`);
      const first = `apply a version without ${owner} first`;
      return held.has(owner) ? [`${unit.name} would take ${key} from ${owner}, which runs: ${first}`] : [];
    }),
  );
}

function stillRuns(name: string): string {
  return `${name}, which was removed and still runs: wait until daemon hosts shows it without a host`;
}
