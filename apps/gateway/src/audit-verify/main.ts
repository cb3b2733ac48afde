import { stat } from 'node:fs/promises';
import { parseArguments, UsageError } from '@libs/command-line';
import { systemErrorText } from '@libs/envelope';
import { machineFiles } from '@libs/files';
import { countText } from '@libs/records';
import { verifyAuditLog } from '../audit/verify-audit-log';

/** `npm run audit:verify FILE`. Exit code 0 if the log holds together, 1 if it does not, 2 if it cannot be read. */
async function verify(args: readonly string[]): Promise<number> {
  const path = pathOf(args);
  if (path === null) return 2;
  try {
    await stat(path);
    const { problems, problem_count: count, ...counts } = await verifyAuditLog(machineFiles, path);
    const figures = Object.entries(counts).map(([name, value]) => `${name} ${String(value)}`);
    process.stdout.write(`${figures.join(', ')}\n`);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    process.stdout.write(count === 0 ? 'the audit log holds together\n' : `${countText(count, 'problem')}\n`);
    return count === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`cannot read ${path}: ${systemErrorText(error)}\n`);
    return 2;
  }
}

/** The file to check; null after the mistake in the command line was printed. */
function pathOf(args: readonly string[]): string | null {
  try {
    const [path] = parseArguments(args, {}, ['FILE']).words;
    if (path === undefined) throw new UsageError('audit:verify needs the file of an audit log');
    return path;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nusage: npm run audit:verify FILE\n`);
    return null;
  }
}

// Not process.exit: it would cut off output that a pipe has not taken yet.
void verify(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
