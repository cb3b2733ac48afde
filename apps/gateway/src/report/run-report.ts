import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { parseArguments, table, UsageError } from '@libs/command-line';
import { systemErrorText } from '@libs/envelope';
import { countText } from '@libs/records';
import { version } from '../../../../package.json';
import { check } from '../cli/check.command';
import type { CommandEdge } from '../cli/command';
import { connect } from '../cli/connection';
import { exitCodes, problemOf } from '../cli/exit-codes';
import { gatewaySettingGroups } from '../gateway.config';
import { CoreReplay } from '../trade-core/core-recording';
import { secretsOf } from './private-values';
import { Redaction } from './redaction';
import { lastLines, linesOf, recordingsIn } from './report-source';
import { reportedSettings } from './reported-settings';
import { ZipFile } from './zip-file';

const usage = `usage: gateway report [--log FILE] [--lines N] [--url URL] [--key-file FILE]
                                    show what a report of a defect would contain, and write nothing
       gateway report --output FILE [...]
                                    write it to a new zip file
It has versions, settings, the answer of \`gateway check\`, the last lines of the log (--log, 1000 or --lines) and the recording
of trade requests (TRADE_RECORDING). Credentials, account numbers, names and comments are taken out; look through it all the same.
The settings and the recording are those of the environment of this command: run it with that of the gateway.`;

const flags = { url: 'text', 'key-file': 'text', log: 'text', lines: { upTo: 100_000 }, output: 'text' } as const;
type ReportFlags = ReturnType<typeof parseArguments<typeof flags>>['flags'];

/** A file of the command line that cannot be read or written. */
class ReportFileError extends Error {}

/** What a gateway answered, or why it did not. */
interface Asked {
  readonly gateway: Readonly<Record<string, unknown>>;
  readonly check: string;
  readonly logins: readonly string[];
  readonly holders: readonly string[];
}

/** A text of the report that fits into memory. */
interface Part {
  readonly name: string;
  readonly text: string;
}

/** `gateway report`, for a report of a defect. @returns the exit code */
export async function report(args: readonly string[], edge: CommandEdge): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    edge.out(usage);
    return exitCodes.fine;
  }
  try {
    await makeReport(parseArguments(args, flags).flags, edge);
    return exitCodes.fine;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const reason = error instanceof ReportFileError ? error.message : systemErrorText(error);
    edge.err(isUsage ? `${error.message}\n${usage}` : `no report was written: ${reason}`);
    return isUsage ? exitCodes.usage : exitCodes.attention;
  }
}

async function makeReport(given: ReportFlags, edge: CommandEdge): Promise<void> {
  const { output, log, 'key-file': keyFile } = given;
  const env = keyFile === undefined ? edge.env : { ...edge.env, API_KEY: undefined, API_KEY_FILE: keyFile };
  const asked = await askGateway(given, { ...edge, env });
  const redaction = new Redaction({
    secrets: secretsOf({ ...edge.env, ...env }),
    logins: [...asked.logins, ...[env['TERMINAL_LOGIN'], env['SIM_LOGIN']].filter((login) => login !== undefined)],
    holders: asked.holders,
    home: homedir(),
  });
  const lines =
    log === undefined
      ? null
      : await lastLines(log, given.lines ?? 1_000).catch((error: unknown) => failed('log', log, error));
  const recordings = recordingsIn(stateFolder(env));
  for (const line of lines ?? []) redaction.note(line);
  for (const { path } of recordings) for await (const line of linesOf(path)) redaction.note(line);
  const parts = partsOf(asked, env, redaction, lines);
  edge.out(shownParts(parts, log, recordings));
  if (output === undefined) {
    edge.out('\nNothing was written: --output FILE writes this to a zip file.');
    return;
  }
  const zip = fileOf(output);
  try {
    for (const { name, text } of parts) zip.add(name, [text]);
    for (const recording of recordings) edge.out(await addRecording(zip, recording, redaction));
    zip.end();
  } catch (error) {
    zip.discard();
    throw error;
  }
  edge.out(`\n${output} is written. Look through it before you send it: unzip -p ${output} | less`);
}

function fileOf(output: string): ZipFile {
  try {
    return new ZipFile(output);
  } catch (error) {
    return failed('output', output, error);
  }
}

/** @throws ReportFileError that names the file */
function failed(flag: string, path: string, error: unknown): never {
  throw new ReportFileError(`--${flag} ${path}: ${systemErrorText(error)}`);
}

/** The report is written also if the gateway does not answer. */
async function askGateway(given: ReportFlags, edge: CommandEdge): Promise<Asked> {
  const printed: string[] = [];
  const problems: string[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      problems.push(problemOf(error));
      return null;
    }
  };
  const client = await attempt(() => Promise.resolve(connect({ flags: addressOf(given), env: edge.env })));
  if (client === null) return { gateway: { problem: problems[0] }, check: 'not asked', logins: [], holders: [] };
  const health = await attempt(() => client.reads.health());
  const account = health?.terminal_status === 'connected' ? await attempt(() => client.reads.account()) : null;
  const call = { ...edge, out: (text: string) => void printed.push(text), client, flags: {}, words: [] };
  if (health !== null) await attempt(() => check(call));
  const known = [health?.account, account?.login].filter((login) => login !== null && login !== undefined);
  const facts = health && {
    version: health.version,
    status: health.status,
    terminal_status: health.terminal_status,
    uptime_seconds: health.uptime_seconds,
    kill_switch_active: health.kill_switch_active,
  };
  return {
    gateway: { ...facts, ...(problems.length > 0 && { problem: problems.join('; ') }) },
    check: printed.join('\n') || 'no answer',
    logins: known.map(String),
    holders: account?.name ? [account.name] : [],
  };
}

function addressOf({ url, 'key-file': keyFile }: ReportFlags): { readonly url?: string; readonly 'key-file'?: string } {
  return { ...(url !== undefined && { url }), ...(keyFile !== undefined && { 'key-file': keyFile }) };
}

function partsOf(
  { gateway, check: checked }: Asked,
  env: CommandEdge['env'],
  redaction: Redaction,
  lines: readonly string[] | null,
): Part[] {
  const { platform, arch, versions } = process;
  const command = { version, node: versions.node, v8: versions.v8, platform, arch };
  const settings = {
    read_from: 'the environment of this command: a gateway that runs elsewhere has its own',
    settings: reportedSettings(env, (text) => redaction.text(text)),
  };
  return [
    { name: 'versions.json', text: json(redaction.value({ command, gateway }, '')) },
    { name: 'settings.json', text: json(settings) },
    { name: 'check.txt', text: `${redaction.text(checked)}\n` },
    ...(lines === null ? [] : [{ name: 'log.txt', text: `${lines.map((line) => redaction.line(line)).join('\n')}\n` }]),
  ];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function shownParts(parts: readonly Part[], log: string | undefined, recordings: readonly { name: string }[]): string {
  const short = parts.filter(({ name }) => name !== 'log.txt').map(({ name, text }) => `${name}\n${text}`);
  const logText = parts.find(({ name }) => name === 'log.txt')?.text;
  const count = logText === undefined ? 0 : logText.split('\n').length - 1;
  const rows = [
    [
      'log.txt',
      log === undefined ? 'not included: name the log with --log' : `the last ${countText(count, 'line')} of the log`,
    ],
    ...(recordings.length === 0
      ? [
          [
            'trade-recording.jsonl',
            'not included: none is in STATE_DIR, as this command has it; the gateway records with TRADE_RECORDING=1',
          ],
        ]
      : recordings.map(({ name }) => [
          name,
          'each event of trade requests, with symbols, prices, volumes and tickets',
        ])),
  ];
  return `${short.join('\n')}\n${table(['FILE', 'CONTENT'], rows)}`;
}

/** Adds a recording, and states whether it still leads to the same decisions. */
async function addRecording(
  zip: ZipFile,
  { name, path }: { readonly name: string; readonly path: string },
  redaction: Redaction,
): Promise<string> {
  const replay = new TolerantReplay();
  const add = zip.begin(name);
  for await (const read of linesOf(path)) {
    const line = redaction.line(read);
    add(`${line}\n`);
    replay.next(line);
  }
  add(null);
  return `${name}: ${replay.verdict()}`;
}

/** Repeats what is left of a recording. It is packed whatever comes of that. */
class TolerantReplay {
  private core: CoreReplay | null = null;
  private events = 0;
  private problem: string | null = null;

  next(line: string): void {
    if (this.problem !== null) return;
    try {
      if (this.core === null) this.core = new CoreReplay(line);
      else {
        this.events += 1;
        if (this.core.next(line) !== line) this.problem = `event ${this.events} is decided otherwise`;
      }
    } catch (error) {
      this.problem = `after event ${this.events}: ${systemErrorText(error)}`;
    }
  }

  verdict(): string {
    return (
      this.problem ?? `${countText(this.events, 'event')}, which lead to the same decisions without what was taken out`
    );
  }
}

/** As the gateway finds it. */
function stateFolder(env: CommandEdge['env']): string {
  const audit = env['ORDER_AUDIT_FILE'] || gatewaySettingGroups[4].table.ORDER_AUDIT_FILE.fallback;
  return env['STATE_DIR'] || dirname(audit);
}
