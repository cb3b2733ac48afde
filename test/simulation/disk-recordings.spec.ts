import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineFiles } from '@libs/files';
import { LmdbStore, lmdbStores, type Table } from '@libs/store';
import {
  comparable,
  diskScenarios,
  type Recordings,
  type ScenarioDisk,
} from '../../libs/simulated-disk/src/testing/disk-scenarios';
import { Scratch } from '../e2e/programs/scratch';
import { describeOnTinyDisk, TinyDisk } from '../e2e/programs/tiny-disk';

const repository = join(__dirname, '../..');
const file = join(repository, 'libs/simulated-disk/recordings/real-disk.json');
const recorded = (): Recordings => JSON.parse(readFileSync(file, 'utf8')) as Recordings;

/** RECORD_DISK=1 writes what this machine does, instead of comparing it with the recordings. */
const isRecording = process.env.RECORD_DISK === '1';

function scenarioDisk(disk: TinyDisk): ScenarioDisk {
  return {
    files: machineFiles,
    stores: lmdbStores,
    path: (name) => join(disk.path, name),
    fill: () => disk.fill(),
    makeSpace: () => disk.makeSpace(),
    setReadOnly: (isReadOnly) => disk.remount(isReadOnly ? 'ro' : 'rw'),
  };
}

describeOnTinyDisk()('the recordings that the simulated disk is held against (need root to mount a disk)', () => {
  const scratch = new Scratch();
  const made: Record<string, Recordings[string]> = {};
  afterEach(() => scratch.clear());
  afterAll(() => {
    if (isRecording) writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
  });

  it.each(Object.keys(diskScenarios))('are what the real disk does: %s', async (name) => {
    const found = await diskScenarios[name]?.(scenarioDisk(TinyDisk.mount(scratch, 8_192)));
    if (!found) throw new Error(name);
    made[name] = found;
    const expected = isRecording ? found : recorded()[name];
    expect(comparable(found)).toEqual(comparable(expected ?? {}));
  });
});

/** Writes commits of three entries, and says so after each. */
const writer = `
const { LmdbStore } = require(process.argv[1]);
const store = LmdbStore.open({ name: 'x', path: process.argv[2], layout: 'folder', maxTables: 2 }, (source) => source.table('words'));
(async () => {
  for (let commit = 0; ; commit++) {
    await store.write((words) => { for (const part of ['a', 'b', 'c']) words.put(commit + part, 'x'.repeat(commit % 500)); });
    await new Promise((taken) => process.stdout.write(commit + '\\n', taken));
  }
})();
`;

/** Appends lines of 1,000 characters, and says so after each: it waits for a reader that is slow. */
const appender = `
const { open } = require('node:fs/promises');
(async () => {
  const log = await open(process.argv[2], 'a+');
  for (let line = 0; ; line++) {
    await log.appendFile(String(line).padStart(999, '0') + '\\n');
    await log.datasync();
    await new Promise((taken) => process.stdout.write(line + '\\n', taken));
  }
})();
`;

describe('a program that is killed while it writes', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  /** Kills the program after it acknowledged some writes. @returns the last one that was acknowledged */
  const killed = async (program: string, path: string, after: number): Promise<number> => {
    const store = join(repository, 'dist/libs/store/src/index.js');
    const child = spawn(process.execPath, ['-e', program, store, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    // Closed once all that it wrote before its end was read.
    const closed = once(child, 'close');
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (lastLine(text) >= after) child.kill('SIGKILL');
    });
    await closed;
    return lastLine(text);
  };
  const lastLine = (text: string): number => Number(text.split('\n').at(-2) ?? -1);
  const rounds = [3, 17, 40, 71, 110, 160];

  it.each(rounds)('leaves whole commits, all that it acknowledged among them (after %d)', async (after) => {
    const path = join(scratch.folder(), 'journal');
    const acknowledged = await killed(writer, path, after);
    const store = LmdbStore.open({ name: 'x', path, layout: 'folder', maxTables: 2 }, (source): Table<string, string> =>
      source.table('words'),
    );
    const commits = new Map<number, number>();
    for (const key of store.read((words) => [...words.getKeys()])) {
      commits.set(parseInt(key, 10), (commits.get(parseInt(key, 10)) ?? 0) + 1);
    }
    await store.close();
    expect([...commits.values()].every((entries) => entries === 3)).toBe(true);
    expect(commits.size).toBe(Math.max(...commits.keys()) + 1);
    // The commit that was in flight is there or not.
    expect([acknowledged + 1, acknowledged + 2]).toContain(commits.size);
  });

  it.each(rounds)('leaves the lines that it acknowledged, and a part of one more at most (after %d)', async (after) => {
    const path = join(scratch.folder(), 'log');
    const acknowledged = await killed(appender, path, after);
    const text = readFileSync(path, 'utf8');
    const whole = text.split('\n').slice(0, -1);
    expect(whole.every((line, index) => Number(line) === index)).toBe(true);
    expect(text.length).toBeGreaterThanOrEqual((acknowledged + 1) * 1_000);
    expect(text.length).toBeLessThanOrEqual((acknowledged + 2) * 1_000);
  });
});
