import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '@libs/command-line';
import type { FleetHost, FleetTable } from '@libs/postgres';
import { withFleet } from './fleet-database';
import { argumentsOf, commands } from './commands';

const lookAgainMs = 250;
/** Longer than a handover takes; afterwards, any host may take the unit. */
const reservedMs = 30_000;

/** `daemon move UNIT HOST`: asks the host of a unit to give it to another host. */
export async function move(args: readonly string[]): Promise<number> {
  const { words } = argumentsOf(commands.move, args);
  const [unit, host] = words;
  if (unit === undefined || host === undefined) throw new UsageError('move needs a unit and a host');
  return withFleet(async (fleet) => {
    const target = targetOf(await fleet.hosts(), host);
    if (typeof target === 'string') return failed(target);
    const [lease] = (await fleet.leases()).filter(({ name }) => name === unit);
    if (!lease) return failed(`no unit ${unit}; see daemon hosts`);
    if (lease.holder === target.id) return done(`${unit} runs on ${host} already`);
    await fleet.reserve(unit, target.id, reservedMs);
    return untilMoved(fleet, unit, target);
  });
}

/** The host that a name or an id names, or the reason why it cannot take a unit. */
function targetOf(hosts: readonly FleetHost[], wanted: string): FleetHost | string {
  const named = hosts.filter(({ id, name, isRunning }) => isRunning && (name === wanted || id === wanted));
  const [target] = named;
  if (!target) return `no host ${wanted} runs; see daemon hosts`;
  if (named.length > 1) return `several hosts are named ${wanted}: use an id from daemon hosts --json`;
  return target.isDraining ? `host ${wanted} is draining` : target;
}

/** @returns the exit code */
async function untilMoved(fleet: FleetTable, unit: string, { id, name }: FleetHost): Promise<number> {
  for (;;) {
    // Read first: a reservation that has ended since then was ended before the lease is read.
    const isReserved = await fleet.isReserved(unit, id);
    const lease = (await fleet.leases()).find((row) => row.name === unit);
    if (lease?.holder === id) return done(`${unit} moved to ${name}, token ${lease.token}`);
    if (!isReserved) return failed(`${unit} was not moved: ${whereIs(lease?.host ?? null)}`);
    await pause(lookAgainMs);
  }
}

function whereIs(host: string | null): string {
  return host === null ? 'no host holds it' : `it is on ${host}; the log of that host states the reason`;
}

function done(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function failed(text: string): number {
  process.stderr.write(`${text}\n`);
  return 1;
}
