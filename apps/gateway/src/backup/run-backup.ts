import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { SystemClock } from '@libs/clock';
import { advice, parseArguments, UsageError } from '@libs/command-line';
import { StateDirLockedError, StateLock } from '@libs/state-lock';
import { copyDatabase } from '@libs/store';
import { countText } from '@libs/records';
import { version } from '../../../../package.json';
import { readGatewaySettings, type GatewaySettings } from '../gateway.config';
import { startProblem } from '../start-problem';
import { BackupError } from './backup-error';
import { readBackup } from './manifest';
import { restoreBackup, type Restored, type RestoredAudit } from './restore-backup';
import { RunningGateway } from './running-gateway';
import { statePlaces } from './state-places';
import { takeBackup, type JournalCopy } from './take-backup';

const usage = `usage: gateway backup create DIR    copy the state of a gateway to a new folder, also while it runs
       gateway backup verify DIR    compare the files of a backup with its manifest
       gateway backup restore DIR [--replace]
                                    put a backup in place of the state of a gateway that does not run;
                                    --replace moves a trade journal that is there aside
The settings are those of the gateway: STATE_DIR, ORDER_AUDIT_FILE, KILL_SWITCH_FILE.`;

/**
 * Runs one command. The process keeps the locks that it takes to its end.
 * @returns the exit code: 0 done, 1 not done, 2 wrong arguments
 */
export async function runBackup(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  let settings: GatewaySettings | null = null;
  try {
    const { command, folder, replace } = commandOf(args);
    const clock = new SystemClock();
    if (command === 'verify') {
      const { created_at, files } = await readBackup(folder);
      console.log(`the backup of ${created_at} is whole: ${countText(files.length, 'file')}`);
      return 0;
    }
    settings = readGatewaySettings();
    const places = statePlaces(settings);
    const gateway = new RunningGateway(settings.STATE_DIR, clock);
    if (command === 'create') {
      const journal = await journalCopy(settings, gateway);
      const { created_at, files } = await takeBackup(places, resolve(folder), journal, { clock, version });
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      console.log(`backup of ${created_at} in ${folder}: ${countText(files.length, 'file')}, ${bytes} bytes`);
      return 0;
    }
    if (!(await isStopped(settings, gateway))) {
      throw new BackupError('a gateway is using the state: stop it to restore a backup');
    }
    console.log(summary(await restoreBackup(places, folder, { replace, clock, newId: randomUUID })));
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(`${error.message}\n${usage}`);
      return 2;
    }
    console.error(error instanceof BackupError ? error.message : startProblem(error, settings));
    return 1;
  }
}

/** @throws FileLockedError when another gateway writes the audit log */
async function isStopped({ STATE_DIR, ORDER_AUDIT_FILE }: GatewaySettings, gateway: RunningGateway): Promise<boolean> {
  if (!(await takes(STATE_DIR))) return false;
  await StateLock.takeFile(ORDER_AUDIT_FILE, 'gateway');
  return !(await gateway.answers());
}

/** Whether the lock of the state directory was free; it is held to the end of the process then. */
async function takes(stateDir: string): Promise<boolean> {
  try {
    await StateLock.take(stateDir, 'gateway');
    return true;
  } catch (error) {
    if (error instanceof StateDirLockedError) return false;
    throw error;
  }
}

/** The gateway that runs copies its journal itself; without one, this process does. */
async function journalCopy(settings: GatewaySettings, gateway: RunningGateway): Promise<JournalCopy> {
  const { journal } = statePlaces(settings);
  if (await isStopped(settings, gateway)) {
    return { isLive: false, to: (folder) => copyDatabase('the trade journal', journal, folder) };
  }
  return { isLive: true, to: (folder) => gateway.copyJournal(folder) };
}

interface BackupCommand {
  readonly command: keyof typeof flagsOf;
  readonly folder: string;
  readonly replace: boolean;
}

const flagsOf = { create: {}, verify: {}, restore: { replace: 'switch' } } as const;

/** @throws UsageError naming the mistake */
function commandOf(args: readonly string[]): BackupCommand {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const word = args[at];
  const names = Object.keys(flagsOf);
  if (word === undefined) throw new UsageError('backup needs create, verify or restore');
  if (!isCommand(word)) throw new UsageError(`unknown argument ${word}${advice(word, names)}`);
  const { flags, words } = parseArguments(args.toSpliced(at, 1), flagsOf[word], ['DIR']);
  const [folder] = words;
  if (folder === undefined) throw new UsageError(`backup ${word} needs a folder`);
  return { command: word, folder, replace: 'replace' in flags };
}

function isCommand(word: string): word is BackupCommand['command'] {
  return Object.hasOwn(flagsOf, word);
}

function summary({ manifest, movedAside, audit, halted }: Restored): string {
  return [
    `restored the backup of ${manifest.created_at}`,
    ...auditSummary(audit),
    ...(movedAside === null ? [] : [`  the previous trade journal is now in ${movedAside}`]),
    ...(halted ? ['  trading is halted, as it was at the backup: POST /kill/release resumes it'] : []),
    '  the journal counts as lost, because it lacks what was sent after the backup: start the gateway, compare',
    '  GET /reconcile with what your clients sent, and accept the journal with POST /journal/accept',
  ].join('\n');
}

function auditSummary(audit: RestoredAudit): string[] {
  if (audit.kind !== 'restored') {
    const kept = 'kept: the existing one continues that of the backup';
    return [`  audit log: ${audit.kind === 'kept' ? kept : 'not in the backup'}`];
  }
  const aside = audit.movedAside;
  return [
    '  audit log: restored',
    ...(aside === null ? [] : [`  the previous audit log, which does not continue it, is now in ${aside}`]),
  ];
}
