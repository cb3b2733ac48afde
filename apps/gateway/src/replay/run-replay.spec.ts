import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFiles } from '@libs/files';
import { RecordingFile } from '../trade-journal/recording-file';
import { JournalRig, marketOrder } from '../trade-journal/testing/journal-rig';
import { replay, runReplay } from './run-replay';

describe('a recording of trade requests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  const file = join(folder, 'trade-recording.jsonl');
  const complaints: string[] = [];
  afterAll(() => rmSync(folder, { recursive: true }));

  async function record(): Promise<void> {
    const recording = new RecordingFile(machineFiles, file, { error: (_, message) => complaints.push(message) });
    const rig = new JournalRig(recording);
    await rig.execute('done');
    await rig.reject('rejected');
    await rig.journal.makeVoid('void');
    await rig.journal.record(rig.begin('interrupted'), marketOrder);
    await rig.restart();
    await rig.journal.sweep();
    await rig.stop();
    await recording.end();
  }

  it('is repeated with the same decisions, and the one before is kept', async () => {
    await record();
    const { events, other } = await replay(file);
    expect(other).toBeNull();
    expect(events).toBeGreaterThan(15);
    await record();
    expect(await replay(`${file}.1`)).toMatchObject({ events, other: null });
    expect(complaints).toEqual([]);
  });

  it('names the first decision that differs, and what is no recording', async () => {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const changed = join(folder, 'changed');
    writeFileSync(
      changed,
      lines.map((line, index) => (index === 3 ? line.replace('"effects":[', '"effects":[{},') : line)).join('\n'),
    );
    expect(await replay(changed)).toMatchObject({ events: 3, other: { event: 3 } });
    const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await runReplay([changed])).toBe(1);
    writeFileSync(changed, 'text\n');
    expect(await runReplay([changed])).toBe(2);
    for (const text of ['', '{}\n', `${lines[0]}\n{"event":`]) {
      writeFileSync(changed, text);
      expect(await runReplay([changed])).toBe(2);
    }
    expect(await runReplay(['/dev/zero'])).toBe(2);
    expect(await runReplay([join(folder, 'none')])).toBe(2);
    expect(await runReplay([])).toBe(2);
    expect(said.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      'event 3 is decided otherwise',
      expect.stringMatching(/is no whole recording: it does not begin with the state of a trade core: .*JSON/),
      expect.stringMatching(/is no whole recording: it is empty$/),
      expect.stringMatching(/is no whole recording: it does not begin with the state of a trade core: /),
      expect.stringMatching(/is no whole recording: line 2 is no event: .*JSON/),
      '/dev/zero is no whole recording: a line of it is longer than 256 MiB',
      expect.stringContaining('no such file'),
      'replay needs the file of a recording',
    ]);
    said.mockRestore();
  });

  it('ends, with a complaint, on a disk that does not take it', async () => {
    const recording = new RecordingFile(machineFiles, join(folder, 'none', 'file'), {
      error: (_, message) => complaints.push(message),
    });
    recording.write('{}');
    await recording.end();
    recording.write('{}');
    await recording.end();
    expect(complaints).toEqual(['the recording of trade requests ends']);
  });
});
