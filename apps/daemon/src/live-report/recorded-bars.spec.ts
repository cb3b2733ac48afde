import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderBarLine } from '../logs/bar-record';
import { continuationMark } from '../logs/log-line';
import { readRecordedBars, recordedBars, type RecordedBars } from './recorded-bars';

const eur = 'demo:EURUSD@M1';
const prices = { open: 1, high: 1, low: 1, tickVolume: 4, lateMs: 0 };
/** @param after time of the bar that was handled before */
const line = (after: number | null, openMs: number, close = 1, stream = eur) =>
  renderBarLine({ stream, afterMs: after, openMs, closedMs: openMs + 1, ...prices, close });
/** Successive bars. */
const run = (after: number, last: number, close = 1) =>
  Array.from({ length: last - after }, (_, index) => line(after + index, after + index + 1, close));
const stretches = ({ streams }: RecordedBars, stream = eur) =>
  (streams.get(stream) ?? []).map(({ afterMs, toMs, bars }) => [
    afterMs,
    toMs,
    bars.map(({ close }) => close).join(''),
  ]);

describe('the record of bars', () => {
  it('has one stretch while the strategy runs, also over a rotation and a bar that it never got', () => {
    const lines = [...run(0, 2), continuationMark, '', line(2, 4), ...run(4, 6)];
    expect(stretches(recordedBars(lines))).toEqual([[0, 6, '11111']]);
  });

  it('says nothing of the time in which the strategy did not run, or had no bar before', () => {
    expect(stretches(recordedBars([...run(0, 2), ...run(5, 7), line(null, 9)]))).toEqual([
      [0, 2, '11'],
      [5, 7, '11'],
      [8, 9, '1'],
    ]);
  });

  it('keeps streams apart', () => {
    const recorded = recordedBars([line(0, 1), line(0, 5, 2, 'demo:EURUSD@M5'), line(1, 2)]);
    expect([stretches(recorded), stretches(recorded, 'demo:EURUSD@M5')]).toEqual([[[0, 2, '11']], [[0, 5, '2']]]);
  });

  it('does not know the bars of damaged lines', () => {
    const lines = run(0, 5);
    const damaged = lines.map((one, index) => (index === 2 ? one.slice(0, 30) : one));
    const recorded = recordedBars(damaged);
    expect([recorded.damaged, stretches(recorded)]).toEqual([
      1,
      [
        [0, 2, '11'],
        [3, 5, '11'],
      ],
    ]);
  });

  it('counts what was recorded later where a time was recorded twice', () => {
    expect(stretches(recordedBars([...run(0, 6), ...run(2, 4, 2)]))).toEqual([
      [0, 2, '11'],
      [2, 4, '22'],
      [4, 6, '11'],
    ]);
  });

  it('is read from both of its files, and a file that cannot be read is an error', () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'recorded-'));
    expect(readRecordedBars(stateDir, 'book/up')).toMatchObject({ damaged: 0 });
    const path = join(stateDir, 'logs', 'book~up.bars');
    mkdirSync(join(stateDir, 'logs'));
    writeFileSync(`${path}.1`, `${run(0, 2).join('\n')}\n`);
    writeFileSync(path, `${continuationMark}\n${run(2, 4).join('\n')}\n`);
    expect(stretches(readRecordedBars(stateDir, 'book/up'))).toEqual([[0, 4, '1111']]);
    mkdirSync(join(stateDir, 'logs', 'broken.bars'));
    expect(() => readRecordedBars(stateDir, 'broken')).toThrow('EISDIR');
  });
});
