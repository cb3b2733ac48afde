import { duration, table } from '@libs/command-line';
import type { FleetHost, LeaseRow } from '@libs/postgres';
import { withFleet } from './fleet-database';
import { argumentsOf, commands } from './commands';

/** `daemon hosts`: lists the hosts of the fleet and where each unit runs, from the database. */
export async function hosts(args: readonly string[]): Promise<void> {
  const { flags } = argumentsOf(commands.hosts, args);
  const view = await withFleet(async (fleet) => viewOf(await fleet.hosts(), await fleet.leases()));
  process.stdout.write(`${flags.json ? JSON.stringify(view, null, 2) : textOf(view)}\n`);
}

/** A unit, as its lease shows it. */
type UnitRow = Pick<LeaseRow, 'name' | 'token' | 'remainingMs'>;

interface View {
  readonly hosts: readonly (FleetHost & { readonly units: readonly UnitRow[] })[];
  /** Units that no host holds. */
  readonly free: readonly UnitRow[];
  /** Held by a host without a row. */
  readonly unknownHost: readonly (UnitRow & { readonly holder: string })[];
}

function viewOf(all: readonly FleetHost[], leases: readonly LeaseRow[]): View {
  const unitsOf = (wanted: (row: LeaseRow) => boolean): UnitRow[] => leases.filter(wanted).map(unitOf);
  const ids = new Set(all.map(({ id }) => id));
  return {
    hosts: all
      .map((host) => ({ ...host, units: unitsOf(({ holder }) => holder === host.id) }))
      .filter((host, index) => host.units.length > 0 || !isEarlierStart(host, all.slice(0, index))),
    free: unitsOf(({ holder }) => holder === null),
    unknownHost: leases.flatMap((row) => {
      const { holder } = row;
      return holder === null || ids.has(holder) ? [] : [{ ...unitOf(row), holder }];
    }),
  };
}

/** A host that was started again has a row of its earlier start, too. The newer rows of a name come first. */
function isEarlierStart({ name, isRunning }: FleetHost, before: readonly FleetHost[]): boolean {
  return !isRunning && before.some((other) => other.name === name);
}

function unitOf({ name, token, remainingMs }: LeaseRow): UnitRow {
  return { name, token, remainingMs: Math.round(remainingMs) };
}

function textOf({ hosts: all, free, unknownHost }: View): string {
  const hostRows = all.map((host) => {
    const { name, capacity, labels, ageMs, units } = host;
    return [name, stateOf(host), duration(ageMs), units.length, capacity, labels.join(', ') || null];
  });
  const unitRows = [
    ...all.flatMap(({ name, units }) => units.map((unit) => [unit.name, name, unit.token, duration(unit.remainingMs)])),
    ...unknownHost.map(({ name, holder, token, remainingMs }) => [name, holder, token, duration(remainingMs)]),
    ...free.map(({ name, token }) => [name, null, token, null]),
  ];
  return [
    table(['HOST', 'STATE', 'SEEN', 'UNITS', 'CAPACITY', 'LABELS'], hostRows),
    '',
    table(['UNIT', 'HOST', 'TOKEN', 'LEFT'], unitRows),
  ].join('\n');
}

function stateOf({ isRunning, isDraining, units }: View['hosts'][number]): string {
  if (!isRunning) return 'lost';
  if (!isDraining) return 'running';
  return units.length === 0 ? 'drained' : 'draining';
}
