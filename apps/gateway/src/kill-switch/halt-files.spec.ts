import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFiles, type Files } from '@libs/files';
import { HaltFiles } from './halt-files';

describe('the check for a halt', () => {
  let folder: string;
  let file: string;
  let looks: number;
  let release: () => void;
  let looked: Promise<[PromiseSettledResult<Awaited<ReturnType<Files['stat']>>>]>;
  let files: HaltFiles;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'halt-files-'));
    file = join(folder, 'kill-switch');
    looks = 0;
    // The first look has its result at once, and keeps it back.
    let held = new Promise<void>((resolve) => (release = resolve));
    const stat: Files['stat'] = async (...place) => {
      looks += 1;
      const gate = held;
      held = Promise.resolve();
      looked = Promise.allSettled([machineFiles.stat(...place)]);
      const [[found]] = await Promise.all([looked, gate]);
      if (found.status === 'rejected') throw found.reason;
      return found.value;
    };
    files = new HaltFiles(Object.assign(Object.create(machineFiles) as Files, { stat }));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is shared by all who ask while another one runs', async () => {
    const asked = [1, 2, 3, 4].map(() => files.isThere(file));
    expect(looks).toBe(1);
    release();
    expect(await Promise.all(asked)).toEqual([false, false, false, false]);
    expect(looks).toBe(2);
  });

  it('never began before it was asked for', async () => {
    const early = files.isThere(file);
    await looked;
    writeFileSync(file, '');
    const late = files.isThere(file);
    release();
    expect([await early, await late]).toEqual([false, true]);
    expect([await files.isThere(file), looks]).toEqual([true, 3]);
  });
});
