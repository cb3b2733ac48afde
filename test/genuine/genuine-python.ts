import { describeWhere } from '../e2e/programs/needs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const tools = ['wine', 'mvn', 'python3', 'x86_64-w64-mingw32-gcc', 'Xvfb'];
const hasTools = tools.every((tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status === 0);

/** Runs a suite where its tools are; in CI it has to run, so there their absence fails instead of being passed over. */
export const describeWithGenuineParts = describeWhere(hasTools);

/** The genuine Windows Python with the genuine package; downloaded by the first suite that asks for it. */
export function genuinePython(): string {
  const script = resolve(__dirname, '../../scripts/genuine-python.mjs');
  const folder = execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim();
  return join(folder, 'python.exe');
}
