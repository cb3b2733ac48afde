import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { SimulatedDisk } from './simulated-disk';
import { comparable, diskScenarios, ownAffairs, type Recordings, type ScenarioDisk } from './testing/disk-scenarios';
import { randomOf } from './testing/disk-subjects';

/** Made on a real disk by test/simulation/disk-recordings.spec.ts, which compares them with that again. */
const recorded = JSON.parse(readFileSync(join(__dirname, '../recordings/real-disk.json'), 'utf8')) as Recordings;

/** LMDB reports a page that was written in part as an error of the device. */
const commitFailure = /^(No space left on device|Input\/output error)/;

function scenarioDisk(): ScenarioDisk {
  const disk = new SimulatedDisk(new SystemClock(), randomOf(1));
  disk.setPace({ operationMs: 0, syncMs: 0, commitMs: 0 });
  disk.makeFolder('/disk');
  return {
    ...disk.view,
    path: (name) => join('/disk', name),
    fill: () => disk.fill(),
    makeSpace: () => disk.makeSpace(),
    setReadOnly: (isReadOnly) => disk.setReadOnly(isReadOnly),
  };
}

describe('the simulated disk does what was recorded of a real one', () => {
  it('for every scenario', () => {
    expect(Object.keys(recorded)).toEqual(Object.keys(diskScenarios));
  });

  it.each(Object.entries(diskScenarios))('%s', async (name, run) => {
    const found = await run(scenarioDisk());
    const expected = recorded[name] ?? {};
    expect(comparable(found)).toEqual(comparable(expected));
    // About as many commits fit into what is left.
    const [commits, recordedCommits] = [found, expected].map((from) => Number(from[ownAffairs.commits] ?? 0));
    expect(commits).toBeGreaterThanOrEqual(Math.floor(Number(recordedCommits) / 2));
    expect(commits).toBeLessThanOrEqual(Number(recordedCommits) * 2 + 4);
    expect(String(found[ownAffairs.error] ?? 'No space left on device')).toMatch(commitFailure);
    expect(String(expected[ownAffairs.error] ?? 'No space left on device')).toMatch(commitFailure);
  });
});
