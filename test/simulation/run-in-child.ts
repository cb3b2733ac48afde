import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyPlan } from './any-plan';
import type { RunResult } from './simulation';

const child = join(__dirname, '../../scripts/simulation/child.cjs');
/** Most of what a run makes is short-lived: with more room for it, less time goes into collecting it. */
const heap = ['--max-old-space-size=1500', '--max-semi-space-size=64'];
/** A run that takes longer hangs. */
const timeoutMs = 20 * 60_000;

/**
 * Runs a plan in a fresh process, because its time and its randomness belong to the run.
 * @param keptLines how many of the last lines of its trace to return
 * @param bug a planted bug that the gateway has
 * @throws Error when the process fails
 */
export async function runInChild(plan: AnyPlan, keptLines: number, bug?: string): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'simulation-'));
  try {
    const file = join(folder, 'plan.json');
    await writeFile(file, JSON.stringify(plan));
    return JSON.parse(await outputOf([file, String(keptLines), ...(bug === undefined ? [] : [bug])])) as RunResult;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outputOf(values: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [...heap, child, ...values], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    running.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    running.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    running.on('error', reject);
    running.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`the simulation ended with ${signal ?? code}: ${errors.trim()}`));
    });
  });
}
