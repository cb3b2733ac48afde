import type { DaemonFile } from '../daemon-file/daemon-file';
import { magicKeysOf, unitsOf } from './units';

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
