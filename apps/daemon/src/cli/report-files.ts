import { existsSync, lstatSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '@libs/command-line';

/** A report that could not be written after all, as on a full disk. */
export class ReportWriteError extends Error {}

type Flag = 'html' | 'out' | 'csv';
/** The flags of a command that name files: those that it reads, and those that it writes. */
export type FileFlags = Readonly<Partial<Record<Flag | 'results' | 'data' | 'config' | 'symbols' | 'sets', string>>>;

/**
 * Checks before a run, rather than after it, that each report can be written, has a file of its own, and replaces nothing that the
 * command reads: recorded prices may exist only once. Leaves no file behind: the run may still fail.
 * @param words the arguments beside the flags, which may name files as well
 * @throws UsageError
 */
export function checkReportFiles(flags: FileFlags, words: readonly string[] = []): void {
  const { data = '', config, symbols, sets } = flags;
  const prices = data.split(',').map((part) => part.trim());
  const read = [...words, ...prices, ...prices.map((part) => part.replace(/^[^=]*=/, '')), config, symbols, sets];
  const inputs = new Set(read.map(identityOf).filter((identity) => identity !== null));
  const written = new Map<string, string>();
  for (const name of ['html', 'out', 'csv', 'results'] as const) {
    const path = flags[name];
    if (path === undefined) continue;
    if (inputs.has(identityOf(path) ?? ''))
      throw new UsageError(`--${name} ${path} is a file that this command reads: name another one`);
    // Several reports may go to a device, such as /dev/null.
    const file = identityOf(path) ?? (existsSync(path) ? null : resolve(path));
    const other = file === null ? undefined : written.get(file);
    if (other !== undefined) throw new UsageError(`--${other} and --${name} name the same file, ${path}`);
    if (file !== null) written.set(file, name);
    // A results file is opened by its own rules.
    if (name !== 'results') ensureWritable(name, path);
  }
}

/** @throws ReportWriteError if it cannot be written; no part of it is left then */
export function writeReport(flag: Flag, path: string | undefined, text: string): void {
  if (path === undefined) return;
  try {
    writeFileSync(path, text);
  } catch (error) {
    if (identityOf(path) !== null) rmSync(path, { force: true });
    throw new ReportWriteError(`--${flag} ${path} cannot be written: ${textOf(error)}`);
  }
}

/** What tells a file from another one, whatever it is called; null if there is none, or no regular one. */
function identityOf(path: string | undefined): string | null {
  const facts = path === undefined ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false });
  return facts?.isFile() ? `${facts.dev}:${facts.ino}` : null;
}

function ensureWritable(flag: Flag, path: string): void {
  const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  try {
    writeFileSync(path, '', { flag: 'a' });
    if (isNew) rmSync(path);
  } catch (error) {
    throw new UsageError(`--${flag} ${path} cannot be written: ${textOf(error)}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
