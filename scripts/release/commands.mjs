import { spawnSync } from 'node:child_process';

/** A release that is not made, with the exit code of the command. */
export class ReleaseError extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a program. Returns its output. @throws ReleaseError with what it printed if it fails */
export function run(command, args, { cwd, env, input, shows = false } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...{ cwd, input, env: { ...process.env, ...env }, maxBuffer: 1 << 30 },
    stdio: ['pipe', shows ? 'inherit' : 'pipe', shows ? 'inherit' : 'pipe'],
  });
  if (status === 0) return stdout ?? Buffer.alloc(0);
  const said = error?.message ?? `${stdout ?? ''}${stderr ?? ''}`;
  throw new ReleaseError(`${[command, ...args].join(' ')} failed: ${said.trim()}`);
}
