import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { testSeed } from '../test/setup/test-seed';
import { treeSeed } from '../test/setup/tree-seed';

const setup = resolve(__dirname, '../test/setup/tree-seed.js');
const seedIn = (env: Record<string, string>, cwd = resolve(__dirname, '..')): number => {
  const code = `require(${JSON.stringify(setup)}).seedTests(); console.log(process.env.TEST_SEED)`;
  const options = { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', ...env } } as const;
  return Number(execFileSync(process.execPath, ['-e', code], options));
};

describe('the seed of the random tests', () => {
  it('is that of the property tests', () => {
    expect(fc.readConfigureGlobal().seed).toBe(testSeed());
  });

  it('follows from the files of the commit, unless it is given', () => {
    const expected = treeSeed();
    // Without git, as in an archive of the sources, it is drawn.
    expect(expected === null || seedIn({}) === expected).toBe(true);
    expect(seedIn({ TEST_SEED: '7' })).toBe(7);
  });

  it('is drawn for the long forms', () => {
    expect(seedIn({ TEST_EFFORT: 'long' })).not.toBe(seedIn({ TEST_EFFORT: 'long' }));
  });
});
