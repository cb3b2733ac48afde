import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { root } from '../launcher/commands.mjs';

/** The account that owns nothing on a Unix system. */
const nobody = 65_534;

/**
 * The user who follows the pages: the caller, or the user `nobody` if the caller is root. `prefix` starts a command as that
 * user, whose `home` is an empty folder.
 */
export function newcomer() {
  const home = mkdtempSync(join(tmpdir(), 'first-hour-'));
  chmodSync(home, 0o755);
  const isRoot = process.getuid?.() === 0;
  const ids = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const prefix = isRoot ? ['setpriv', ...ids, '--inh-caps=-all', '--no-new-privs'] : [];
  const env = { PATH: process.env.PATH ?? '', HOME: home, npm_config_update_notifier: 'false' };
  return { name: isRoot ? 'the user nobody' : 'the caller', home, prefix, env };
}

/** Clones the commit of the working tree, with its uncommitted changes, and gives it to the newcomer. */
export function cloneFor({ home, prefix }) {
  const folder = join(home, 'trading-gateway');
  const configuration = join(home, '.gitconfig');
  // The checkout may have another owner: a build server often runs its tests under another account. Git takes no other
  // form of this setting into the process that serves the clone.
  writeFileSync(configuration, '[safe]\n  directory = *\n');
  const git = (...args) => must('git', args, { ...process.env, GIT_CONFIG_GLOBAL: configuration });
  git('clone', '--quiet', '--no-hardlinks', root, folder);
  const changes = git('-C', root, 'diff', '--binary', 'HEAD');
  if (changes !== '') {
    writeFileSync(join(home, 'changes.patch'), changes);
    git('-C', folder, 'apply', join(home, 'changes.patch'));
  }
  if (prefix.length > 0) must('chown', ['-R', `${nobody}:${nobody}`, home]);
  return folder;
}

/** Gives the clone the installed packages as hard links: the newcomer may read them, and no file is copied. */
export function sharePackages(folder) {
  must('cp', ['-al', join(root, 'node_modules'), folder]);
}

function must(command, args, env = process.env) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}
