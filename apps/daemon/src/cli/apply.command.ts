import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '@libs/command-line';
import { ConfigurationTable, type FleetTable, type StoredVersion } from '@libs/postgres';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { changesBetween } from '../daemon-file/file-changes';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import { configurationText, readDaemonText } from '../daemon-file/read-daemon-file';
import { movedMagics } from '../leases/units';
import { withFleet } from './fleet-database';
import { argumentsOf, commands } from './commands';

/** `daemon apply FILE`: checks a configuration and stores it for the hosts of a fleet; `--dry-run` only shows what it changes. */
export async function apply(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.apply, args);
  const [path] = words;
  if (path === undefined) throw new UsageError('apply needs a configuration file');
  const text = configurationText(path, '');
  const file = checked(path, text);
  return withFleet(async (fleet, database) => {
    const table = new ConfigurationTable(database);
    const newest = await table.newest();
    if (newest?.text === text) {
      print([`version ${newest.version} is the same`]);
      return 0;
    }
    const before = newest && readable(newest);
    print(differences(before, file));
    const problems = before === null || 'unreadable' in before ? [] : movedMagics(before, file, await heldOf(fleet));
    if (problems.length > 0) throw new DaemonFileError(path, problems);
    if (flags['dry-run']) return 0;
    const version = (newest?.version ?? 0) + 1;
    if (await table.apply({ version, text })) {
      print([`version ${version} applied`]);
      return 0;
    }
    process.stderr.write(`another process applied version ${version} first: run apply again to compare with it\n`);
    return 1;
  });
}

/** As a host reads it: paths are relative to its working directory. @throws DaemonFileError */
function checked(name: string, text: string): DaemonFile {
  return readDaemonText({ name, text, folder: process.cwd() }, process.env);
}

/** A version that cannot be read here does not keep a better one from being applied. */
function readable({ version, text }: StoredVersion): DaemonFile | { readonly unreadable: string } {
  try {
    return checked(`version ${version}`, text);
  } catch (error) {
    if (!(error instanceof DaemonFileError)) throw error;
    return { unreadable: error.message };
  }
}

function differences(before: ReturnType<typeof readable> | null, file: DaemonFile): readonly string[] {
  if (before === null) return changes({ gateways: [], strategies: [], portfolios: [] }, file);
  if ('unreadable' in before) return ['cannot be compared with the previous version:', before.unreadable];
  return changes(before, file);
}

/** Units that run on a host. */
async function heldOf(fleet: FleetTable): Promise<ReadonlySet<string>> {
  const leases = await fleet.leases();
  return new Set(leases.filter(({ holder }) => holder !== null).map(({ name }) => name));
}

function changes(before: DaemonFile, after: DaemonFile): readonly string[] {
  const { gateways, strategies, portfolios } = changesBetween(before, after);
  const lines = [
    ...linesOf('gateway', gateways, before.gateways, gateways.changed),
    ...linesOf('portfolio', portfolios, before.portfolios, portfolios.changed),
    ...linesOf(
      'strategy',
      strategies,
      before.strategies,
      strategies.changed.map(({ spec }) => spec),
    ),
  ];
  return lines.length === 0 ? ['no gateway, portfolio or strategy changes'] : lines;
}

interface Named {
  readonly name: string;
}

function linesOf<Spec extends Named>(
  kind: string,
  { added, removed }: { readonly added: readonly Named[]; readonly removed: readonly Named[] },
  before: readonly Spec[],
  changed: readonly Spec[],
): readonly string[] {
  return [
    ...added.map(({ name }) => `added    ${kind} ${name}`),
    ...removed.map(({ name }) => `removed  ${kind} ${name}`),
    ...changed.map((spec) => {
      const was = before.find(({ name }) => name === spec.name);
      return `changed  ${kind} ${spec.name}: ${membersOf(was ?? {}, spec).join(', ')}`;
    }),
  ];
}

/** Names of the members that differ. */
function membersOf(before: object, after: object): readonly string[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => !isDeepStrictEqual(was.get(name), is.get(name)));
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
