import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@libs/files';
import { parseBarLine, type BarLine } from '../logs/bar-record';
import { barsFile } from '../logs/log-book';
import { continuationMark, formerFile } from '../logs/log-line';

/** Times are those of the broker's clock, in milliseconds. The strategy handled these bars, and no others after `afterMs` until `toMs`. */
export interface RecordedStretch {
  readonly afterMs: number;
  readonly toMs: number;
  readonly bars: readonly BarLine[];
}

/** The live bars that a strategy has handled, as far as they are on record. */
export interface RecordedBars {
  /** By the stream, such as `demo:EURUSD@M1`: ascending, without overlap. */
  readonly streams: ReadonlyMap<string, readonly RecordedStretch[]>;
  /** Lines that are damaged; their bars are unknown. */
  readonly damaged: number;
}

export const noBars: RecordedBars = { streams: new Map(), damaged: 0 };

/** Reads the bars of a strategy from the state directory. @throws Error of the file system, unless there is no file */
export function readRecordedBars(stateDir: string, name: string): RecordedBars {
  const path = barsFile(join(stateDir, 'logs'), name);
  const present = textOf(path);
  // Read last, so that a rotation in between loses no line.
  const former = textOf(formerFile(path));
  return recordedBars((former === present ? present : former + present).split('\n'));
}

/** @param lines of the file, in their order; where they disagree on a time, the later ones count */
export function recordedBars(lines: readonly string[]): RecordedBars {
  const streams = new Map<string, RecordedStretch[]>();
  let damaged = 0;
  const chains = new Map<string, BarLine[]>();
  const end = (stream: string): void => {
    const bars = chains.get(stream) ?? [];
    streams.set(stream, withStretch(streams.get(stream) ?? [], bars));
    chains.delete(stream);
  };
  for (const line of lines) {
    if (line === '' || line === continuationMark) continue;
    const bar = parseBarLine(line);
    if (bar === null) damaged++;
    else {
      const chain = chains.get(bar.stream);
      if (chain && chain.at(-1)?.openMs === bar.afterMs) chain.push(bar);
      else {
        if (chain) end(bar.stream);
        chains.set(bar.stream, [bar]);
      }
    }
  }
  for (const stream of [...chains.keys()]) end(stream);
  return { streams, damaged };
}

/** Stretches with one more, which replaces what they have of its time. */
function withStretch(stretches: RecordedStretch[], bars: readonly BarLine[]): RecordedStretch[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return stretches;
  const added = { afterMs: first.afterMs ?? first.openMs - 1, toMs: last.openMs, bars };
  const newest = stretches.at(-1);
  if (newest === undefined || newest.toMs <= added.afterMs) {
    stretches.push(added);
    return stretches;
  }
  const left = stretches.flatMap((stretch) => [
    clipped(stretch, -Infinity, added.afterMs),
    clipped(stretch, added.toMs, Infinity),
  ]);
  return [...left.filter((stretch) => stretch !== null), added].sort((a, b) => a.toMs - b.toMs);
}

/** The part of a stretch after one instant and until another; null if there is none. */
function clipped(stretch: RecordedStretch, afterMs: number, toMs: number): RecordedStretch | null {
  const [from, until] = [Math.max(stretch.afterMs, afterMs), Math.min(stretch.toMs, toMs)];
  if (from >= until) return null;
  return { afterMs: from, toMs: until, bars: stretch.bars.filter(({ openMs }) => openMs > from && openMs <= until) };
}

/** Empty if the file does not exist. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
