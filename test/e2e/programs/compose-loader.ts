import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, repository } from './started-program';

interface Service {
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly deploy?: { readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> } };
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly volumes?: readonly { readonly type: string }[];
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
}
/** A compose project, with every variable and anchor resolved. */
export interface ComposeProject {
  readonly services: Readonly<Record<string, Service>>;
}

const source = join(repository, 'test/e2e/compose-loader');
const program = join(repository, '.build/compose-loader');

/**
 * Builds the loader of Docker Compose. Returns why it cannot be built here: Go is absent, or the Go module proxy cannot be
 * reached. @throws Error when the module itself does not compile
 */
export function missingForLoader(): string | undefined {
  const go = (...args: string[]) => spawnSync('go', ['-C', source, ...args], { encoding: 'utf8' });
  if (go('version').status !== 0) return 'Go';
  if (go('mod', 'download').status !== 0) return 'the Go module compose-go';
  const { status, stderr } = go('build', '-o', program, '.');
  if (status !== 0) throw new Error(stderr);
  return undefined;
}

/** A folder with the compose files and what they need beside them: the settings of .env.example as .env. */
export function copyComposeFiles(folder: string): void {
  mkdirSync(join(folder, 'deploy'));
  copyFileSync(join(repository, '.env.example'), join(folder, '.env'));
  for (const name of ['docker-compose.yml', 'docker-compose.fleet.yml', 'deploy/compose.secrets.yml'])
    copyFileSync(join(repository, name), join(folder, name));
}

/** @throws Error with what Docker Compose would say of the files */
export function loadCompose(folder: string, args: readonly string[], env: Record<string, string> = {}): ComposeProject {
  const { status, stdout, stderr } = spawnSync(program, args, {
    ...{ cwd: folder, encoding: 'utf8', env: { ...bareEnvironment(), ...env } },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ComposeProject;
}
