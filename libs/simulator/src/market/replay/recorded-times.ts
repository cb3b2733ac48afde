import { QuoteBlock } from '../quote-source';
import { type ReplayFile, readReplays } from './replay-files';

const minuteMs = 60_000;

/** A minute in which at least one symbol is quoted. */
export interface RecordedMinute {
  /** The instants of quotes of any symbol, ascending, in UTC milliseconds. */
  readonly instants: readonly number[];
  /** Those at which a symbol is quoted first: then its bars before the minute close. */
  readonly firsts: ReadonlySet<number>;
}

/** When the quotes of a replay come, without the quotes: for whoever moves a market on from one to the next. */
export interface RecordedTimes {
  /** UTC milliseconds of the first and the last quote of any symbol. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** How many minutes have quotes, counted for the symbol with the fewest. */
  readonly minutes: number;
  /** The quotes after an instant, minute by minute; minutes without quotes are left out. */
  from(utcMs: number): Generator<RecordedMinute>;
}

/**
 * Reads the files of a replay for their times.
 * @throws RecordingError naming the file that cannot be used
 */
export function recordedTimes(files: readonly ReplayFile[]): RecordedTimes {
  const replays = readReplays(files);
  return {
    firstMs: Math.min(...replays.map(({ firstMs }) => firstMs)),
    lastMs: Math.max(...replays.map(({ lastMs }) => lastMs)),
    minutes: Math.min(...replays.map(({ times }) => minutesOf(times))),
    *from(utcMs) {
      const block = new QuoteBlock();
      let minute: number | null = Math.floor(utcMs / minuteMs);
      while ((minute = nextOf(replays, minute)) !== null) {
        const instants = new Set<number>();
        const firsts = new Set<number>();
        for (const { source } of replays) {
          source.read(minute, block);
          const times = block.times.slice(0, block.count).filter((timeMs) => timeMs > utcMs);
          for (const timeMs of times) instants.add(timeMs);
          for (const timeMs of times.slice(0, 1)) firsts.add(timeMs);
        }
        if (instants.size > 0) yield { instants: [...instants].sort((a, b) => a - b), firsts };
        minute++;
      }
    },
  };
}

function nextOf(replays: ReturnType<typeof readReplays>, minute: number): number | null {
  const next = replays.flatMap(({ source }) => source.nextMinute(minute) ?? []);
  return next.length === 0 ? null : Math.min(...next);
}

function minutesOf(times: Float64Array): number {
  let minutes = 0;
  let last = -1;
  for (const time of times) {
    const minute = Math.floor(time / minuteMs);
    if (minute !== last) minutes++;
    last = minute;
  }
  return minutes;
}
