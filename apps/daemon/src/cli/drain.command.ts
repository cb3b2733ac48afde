import { setTimeout as pause } from 'node:timers/promises';
import type { FleetTable } from '@libs/postgres';
import { hostNameOf, readDaemonSettings } from '../daemon.config';
import { withFleet } from './fleet-database';
import { argumentsOf, commands } from './commands';

const lookAgainMs = 250;

/** `daemon drain [HOST]`: asks a host to give its units to others and to take none; `--undo` ends that. */
export async function drain(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.drain, args);
  const name = words[0] ?? hostNameOf(readDaemonSettings());
  const isDraining = flags.undo !== true;
  return withFleet(async (fleet) => {
    const ids = await fleet.drain(name, isDraining);
    if (ids.length === 0) {
      process.stderr.write(`no host ${name} runs; see daemon hosts\n`);
      return 1;
    }
    process.stdout.write(`${name} ${isDraining ? 'is draining' : 'takes units again'}\n`);
    return isDraining ? untilDrained(fleet, name, ids, (flags.wait ?? 30) * 1_000) : 0;
  });
}

/** @returns the exit code */
async function untilDrained(fleet: FleetTable, name: string, ids: readonly string[], waitMs: number): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += lookAgainMs) {
    const left = (await fleet.leases()).filter(({ holder }) => holder !== null && ids.includes(holder));
    if (left.length === 0) {
      process.stdout.write(`${name} has no units\n`);
      return 0;
    }
    if (waitedMs >= waitMs) {
      process.stdout.write(`not drained yet, the host continues: ${left.map((row) => row.name).join(', ')}\n`);
      return 1;
    }
    await pause(lookAgainMs);
  }
}
