import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeLines } from './complete-lines';

describe('the lines of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'));
  const path = join(folder, 'file');
  afterAll(() => rmSync(folder, { recursive: true }));

  const written = (text: string): string[] => {
    writeFileSync(path, text);
    return [...completeLines(path)];
  };

  it('are read one at a time, however long they are', () => {
    const long = `${'a€'.repeat(600_000)}.`;
    const lines = ['', long, 'short', long, '€'];
    expect(written(`${lines.join('\n')}\n`)).toEqual(lines);
  });

  it('end before text that has no line feed', () => {
    expect(written('')).toEqual([]);
    expect(written('{"half"')).toEqual([]);
    expect(written('a\n\n{"half"')).toEqual(['a', '']);
  });
});
