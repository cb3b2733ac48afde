import type { ImportedUnit } from '@libs/postgres';
import { keyOfBytes, type StoredEntry } from '@libs/store';
import { unitName } from '../state/unit-states';

/** The state of a daemon without a database, as the units of a fleet have it. */
export interface StoredUnits {
  /** By name. */
  readonly units: readonly ImportedUnit[];
  /** Entries that this version cannot assign to a unit. */
  readonly problems: readonly string[];
}

/** Splits a state by units. Each entry belongs to one: none is shared, and none is left out. */
export function storedUnits(entries: readonly StoredEntry[]): StoredUnits {
  const units = new Map<string, StoredEntry[]>();
  const problems = new Set<string>();
  for (const entry of entries) {
    const strategy = strategyOf(entry);
    if (strategy === null) {
      problems.add(
        `the state has the table ${entry.table} of another version, or an entry in it that is not of a strategy`,
      );
      continue;
    }
    const unit = unitName(strategy);
    const own = units.get(unit) ?? [];
    own.push(entry);
    units.set(unit, own);
  }
  const named = [...units].map(([name, own]) => ({ name, entries: own }));
  return { units: named.sort((a, b) => (a.name < b.name ? -1 : 1)), problems: [...problems] };
}

/** The strategy or portfolio that an entry belongs to; null if the table is unknown, or the entry is of none. */
function strategyOf({ table, key: bytes, value }: StoredEntry): string | null {
  const key = keyOfBytes(bytes);
  const parts: readonly unknown[] = Array.isArray(key) ? key : [key];
  switch (table) {
    case 'strategies':
    case 'kept-by-strategy':
    case 'tickets-by-strategy':
    case 'intents-by-strategy':
    case 'stacks-by-strategy':
      return textOf(parts[0]);
    // Time, table, and the key of the record there.
    case 'expiries':
      return textOf(parts[2]);
    // Gateway and ticket; the value is the owner.
    case 'owners':
      return ownerOf(value);
    default:
      return null;
  }
}

function ownerOf(value: Buffer): string | null {
  try {
    return textOf(JSON.parse(value.toString()));
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
