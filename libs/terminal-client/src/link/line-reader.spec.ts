import fc from 'fast-check';
import { LineReader } from './line-reader';

function readAll(bytes: Buffer, cuts: readonly number[], maxBytes = 1_000) {
  const lines: string[] = [];
  const reader = new LineReader(maxBytes, (line) => lines.push(line));
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const isWhole = edges.slice(1).every((end, index) => reader.push(bytes.subarray(edges[index], end)));
  return { lines, isWhole };
}

describe('cutting a stream into lines', () => {
  it('returns the same lines for any chunk boundaries, even inside a character', () => {
    const texts = fc.array(
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 30 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        expect(readAll(bytes, cuts)).toEqual({ lines, isWhole: true });
      }),
    );
  });

  it('keeps half a line until the rest arrives', () => {
    expect(readAll(Buffer.from('whole\nhal'), [])).toEqual({ lines: ['whole'], isWhole: true });
  });

  it('rejects a line that is too long, ended or not, and accepts one that just fits', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 10 }),
        (length, ended, cuts) => {
          const bytes = Buffer.from(`${'x'.repeat(length)}${ended ? '\n' : ''}`);
          expect(readAll(bytes, cuts, 20).isWhole).toBe(length <= 20);
        },
      ),
    );
  });
});
