import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { parseArguments, UsageError } from '@libs/command-line';
import { ConfigurationTable, type StoredVersion } from '@libs/postgres';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { changesBetween } from '../daemon-file/file-changes';
import { DaemonFileError, readDaemonText } from '../daemon-file/read-daemon-file';
import { withFleet } from './fleet-database';

/** `daemon apply FILE`: checks a configuration and stores it for the hosts of a fleet; `--dry-run` only shows what it changes. */
export async function apply(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, { 'dry-run': 'switch' }, ['FILE']);
  const [path] = words;
  if (path === undefined) throw new UsageError('apply needs a configuration file');
  const text = readFileSync(path, 'utf8');
  const file = checked(path, text);
  return withFleet(async (_fleet, database) => {
    const table = new ConfigurationTable(database);
    const newest = await table.newest();
    print(newest?.text === text ? [`version ${newest.version} is the same`] : differences(newest, file));
    if (flags['dry-run'] || newest?.text === text) return 0;
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
function differences(newest: StoredVersion | null, file: DaemonFile): readonly string[] {
  if (newest === null) return changes({ gateways: [], strategies: [], portfolios: [] }, file);
  try {
    return changes(checked(`version ${newest.version}`, newest.text), file);
  } catch (error) {
    if (!(error instanceof DaemonFileError)) throw error;
    return ['cannot be compared with the version before:', error.message];
  }
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
