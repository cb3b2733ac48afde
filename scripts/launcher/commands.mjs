import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';

/** The repository's top folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/[\\/]$/, '');

/** A failure whose message is shown to the user without a stack. */
export class LaunchError extends Error {}

/**
 * Runs a command to its end and returns what it printed, both streams together.
 * @throws LaunchError with the output when it fails
 */
export async function run(title, [command, ...args], { env = process.env } = {}) {
  const { code, output } = await outcomeOf([command, ...args], { env });
  if (code !== 0) throw new LaunchError(`${title} failed (${command} ${args.join(' ')}):\n${output.trimEnd()}`);
  return output;
}

/**
 * Runs a command to its end, whatever that end is. With `show`, its output goes straight to the terminal instead. One
 * that `hasHung` is killed.
 */
export function outcomeOf([command, ...args], { env = process.env, show = false, hasHung = () => false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env,
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    }
    const watching = setInterval(() => hasHung() && child.kill('SIGKILL'), 500).unref();
    child.once('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.once('close', (code, signal) => {
      clearInterval(watching);
      resolve({ code: code ?? signal, output });
    });
  });
}

/** The npm that called this script, for users with several of them. */
export function npm(...args) {
  const running = process.env.npm_execpath;
  return running && /^npm/.test(basename(running)) && running.endsWith('.js')
    ? [process.execPath, running, ...args]
    : ['npm', ...args];
}

/** A program of an installed package, by the file its package.json names. */
export function tool(file, ...args) {
  return [process.execPath, `${root}/node_modules/${file}`, ...args];
}
