import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a trial of the gateway runs with. */
export interface Trial {
  readonly env: Environment;
  /** File of the key that was generated; null if the environment names a key. */
  readonly keyFile: string | null;
  /** Folder of all state. */
  readonly folder: string;
}

/**
 * The environment of a trial: what is set, and for the rest a simulated account, a key of its own and state below one folder, in the
 * places of `npm start`.
 * @throws Error of the system if the folder or the file of the key cannot be made or read
 */
export function trialOf(env: Environment, dataDir: string): Trial {
  const folder = resolve(dataDir);
  const state = join(folder, 'gateway');
  mkdirSync(join(state, 'state'), { recursive: true, mode: 0o700 });
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '' && value !== undefined));
  const hasKey = given['API_KEY'] !== undefined || given['API_KEY_FILE'] !== undefined;
  const keyFile = hasKey ? null : join(folder, 'api-key');
  const defaults = {
    ORDER_AUDIT_FILE: join(state, 'order-audit.jsonl'),
    KILL_SWITCH_FILE: join(state, 'kill-switch'),
    STATE_DIR: join(state, 'state'),
    // Its lines would hide what a trial shows.
    LOG_LEVEL: 'WARNING',
    ...(keyFile !== null && { API_KEY: keyIn(keyFile) }),
  };
  return { env: { ...defaults, ...given }, keyFile, folder };
}

/** Generated at the first start and kept, so that clients go on after a restart. */
function keyIn(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const key = randomBytes(24).toString('base64url');
  writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return key;
}

/** What a first order takes, to be pasted in another shell. */
export function banner(url: string, { env, keyFile, folder }: Trial): string {
  const address = url.replace('0.0.0.0', '127.0.0.1');
  const key = keyFile === null ? '$API_KEY' : (env['API_KEY'] ?? '');
  return `
  API       ${address}
  Console   ${address}/console
  Docs      ${address}/apidocs
  API key   ${keyFile === null ? 'the one that you set' : `${key}  (generated, kept in ${keyFile})`}
  Halt      ${env['KILL_SWITCH_FILE'] ?? ''}  (trading is halted while this file exists)
  State     ${folder}

  A first order:

  curl -s ${address}/order -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" -d '{"symbol":"EURUSD","volume":0.1,"type":"BUY"}'

  Ctrl-C ends it.
`;
}
