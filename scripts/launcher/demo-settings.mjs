import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LaunchError } from './commands.mjs';

/**
 * The environment of the product: what the caller has set, and a demo default for the rest. All state goes under
 * `dataDir`. None of it concerns a gateway that is started alone: there, an unset API_KEY stays unset.
 */
export function demoSettings(env, dataDir, feed = {}) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const simulated = (given.TERMINAL_DRIVER ?? 'simulator').toLowerCase() === 'simulator';
  const defaults = {
    ORDER_AUDIT_FILE: join(dataDir, 'gateway', 'order-audit.jsonl'),
    KILL_SWITCH_FILE: join(dataDir, 'gateway', 'kill-switch'),
    STATE_DIR: join(dataDir, 'gateway', 'state'),
    DAEMON_STATE_DIR: join(dataDir, 'daemon'),
    TERMINAL_API_PORT: '5001',
    ...(simulated ? simulatedAccount(given, dataDir) : {}),
    ...feed,
  };
  const keyFile = join(dataDir, 'api-key');
  const key = given.API_KEY || given.API_KEY_FILE ? {} : { API_KEY: demoKey(keyFile) };
  const settings = { ...defaults, ...key, ...given };
  for (const name of ['ORDER_AUDIT_FILE', 'KILL_SWITCH_FILE']) makeFolder(join(settings[name], '..'), name);
  for (const name of ['STATE_DIR', 'DAEMON_STATE_DIR']) makeFolder(settings[name], name);
  // Folders that an earlier version made readable for other users.
  for (const own of ['gateway', 'daemon', 'broker'].map((name) => join(dataDir, name))) {
    if (existsSync(own)) chmodSync(own, 0o700);
  }
  return { settings, generatedKey: key.API_KEY, keyFile };
}

/** The simulated broker accepts any caller with its login, so both sides get the same credentials. */
function simulatedAccount(given, dataDir) {
  const login = given.SIM_LOGIN ?? given.TERMINAL_LOGIN ?? '100001';
  const server = given.SIM_SERVER ?? given.TERMINAL_SERVER ?? 'Simulator-Demo';
  // A market that runs at another pace than the clock gives no offset to derive.
  const knowsZone = Number(given.SIM_SPEED ?? 1) !== 1 && given.TERMINAL_SERVER_UTC_OFFSET_SECONDS === undefined;
  const SIM_STATE_FILE = join(dataDir, 'broker', 'state');
  makeFolder(join(SIM_STATE_FILE, '..'), 'SIM_STATE_FILE');
  return {
    ...{ SIM_LOGIN: login, TERMINAL_LOGIN: login },
    ...{ SIM_SERVER: server, TERMINAL_SERVER: server },
    ...simulatedPassword(given),
    ...(knowsZone ? { TERMINAL_SERVER_TIME_ZONE: given.SIM_SERVER_TIME_ZONE ?? 'Europe/Athens' } : {}),
    SIM_STATE_FILE,
  };
}

/** A password given by file stays in its file: the variable itself would win over it. */
function simulatedPassword(given) {
  const file = given.SIM_PASSWORD_FILE ?? given.TERMINAL_PASSWORD_FILE;
  const password = given.SIM_PASSWORD ?? given.TERMINAL_PASSWORD ?? 'simulator';
  return file
    ? { SIM_PASSWORD_FILE: file, TERMINAL_PASSWORD_FILE: file }
    : { SIM_PASSWORD: password, TERMINAL_PASSWORD: password };
}

/** Generated on the first start and kept, so that bots continue to work after a restart. */
function demoKey(keyFile) {
  if (existsSync(keyFile)) return readFileSync(keyFile, 'utf8').trim();
  const key = randomBytes(24).toString('base64url');
  makeFolder(join(keyFile, '..'), 'the data folder');
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  return key;
}

/** One by one: the recursive mkdir of Node never returns where the system makes none, as under /proc. */
function makeOne(folder) {
  if (existsSync(folder)) return;
  // The root of a drive that does not exist is its own parent.
  if (dirname(folder) !== folder) makeOne(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function makeFolder(folder, name) {
  try {
    makeOne(folder);
  } catch (error) {
    throw new LaunchError(`The folder ${folder} (${name}) cannot be created: ${error.code}`);
  }
}
