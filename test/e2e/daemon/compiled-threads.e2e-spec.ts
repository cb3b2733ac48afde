import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { bareEnvironment, repository } from '../programs/started-program';

const thread = join(repository, 'dist/apps/daemon/src/backtest/thread');
/** Compiles the entry as the thread does, and prints whether V8 refused the functions of the build. */
const script = `
const { Script } = require('node:vm');
const { bundleBacktestThread } = require('${thread}/bundle-thread.js');
bundleBacktestThread().then(({ thread, context }) => {
  const source = '((require, module, exports) => {' + thread.text + '\\n})';
  const { cachedDataRejected } = new Script(source, { filename: '[worker eval]', cachedData: thread.compiled ?? undefined });
  console.log(JSON.stringify({ rejected: cachedDataRejected, context: context.compiled !== null }));
});`;

describe('the threads of a backtest', () => {
  it('begin with functions that the build has compiled', () => {
    const printed = execFileSync(process.execPath, ['-e', script], { env: bareEnvironment(), encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual({ rejected: false, context: true });
  });
});
