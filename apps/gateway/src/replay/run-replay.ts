import { createReadStream, type ReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArguments, UsageError } from '@libs/command-line';
import { systemErrorText } from '@libs/envelope';
import { countText } from '@libs/records';
import { CoreReplay } from '../trade-core/core-recording';

const usage = `usage: gateway replay FILE    repeat the decisions of a recording (TRADE_RECORDING), and compare them
Exit code 0: the same decisions; 1: another one, which is printed; 2: no recording.`;

/** The first line has the state with all keys that are remembered. */
const mostLineBytes = 2 ** 28;

/** Why a file is no recording, in words for people. */
class NoRecordingError extends Error {}

/** Where this version decides otherwise than the recording. */
export interface OtherDecision {
  /** Number of the event, from 1. */
  readonly event: number;
  readonly recorded: string;
  readonly replayed: string;
}

/**
 * Repeats a recording.
 * @returns the number of its events, and the first one whose effects differ; null if none does
 * @throws if the file cannot be read, or is no recording
 */
export async function replay(file: string): Promise<{ readonly events: number; readonly other: OtherDecision | null }> {
  let core: CoreReplay | null = null;
  let events = 0;
  for await (const line of createInterface({ input: boundedLines(file), crlfDelay: Infinity })) {
    if (core === null) core = part('it does not begin with the state of a trade core', () => new CoreReplay(line));
    else {
      const running: CoreReplay = core;
      events += 1;
      const replayed = part(`line ${events + 1} is no event`, () => running.next(line));
      if (replayed !== line) return { events, other: { event: events, recorded: line, replayed } };
    }
  }
  if (core === null) throw new NoRecordingError('it is empty');
  return { events, other: null };
}

/** A file without lines, such as a disk, would become one text that is longer than texts can be. */
function boundedLines(file: string): ReadStream {
  const input = createReadStream(file);
  let bytes = 0;
  input.on('data', (chunk) => {
    const end = chunk.lastIndexOf('\n');
    bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
    if (bytes > mostLineBytes) input.destroy(new NoRecordingError('a line of it is longer than 256 MiB'));
  });
  return input;
}

/** @throws NoRecordingError for a line that cannot be read as that part of a recording */
function part<T>(problem: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new NoRecordingError(`${problem}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** `gateway replay FILE`. @returns the exit code */
export async function runReplay(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  try {
    const [file] = parseArguments(args, {}, ['FILE']).words;
    if (file === undefined) throw new UsageError('replay needs the file of a recording');
    const { events, other } = await replay(file).catch((error: unknown) => {
      const reason = error instanceof NoRecordingError ? error.message : systemErrorText(error);
      throw new UsageError(`${file} is no whole recording: ${reason}`);
    });
    if (other)
      console.error(
        `event ${other.event} is decided otherwise\nrecorded: ${other.recorded}\nreplayed: ${other.replayed}`,
      );
    else console.log(`${countText(events, 'event')}, each with the same decision`);
    return other ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n${usage}`);
    return 2;
  }
}
