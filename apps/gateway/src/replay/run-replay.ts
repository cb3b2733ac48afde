import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArguments, UsageError } from '@libs/command-line';
import { systemErrorText } from '@libs/envelope';
import { countText } from '@libs/records';
import { CoreReplay } from '../trade-core/core-recording';

const usage = `usage: gateway replay FILE    repeat the decisions of a recording (TRADE_RECORDING), and compare them
Exit code 0: the same decisions; 1: another one, which is printed; 2: no recording.`;

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
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (core === null) core = new CoreReplay(line);
    else {
      events += 1;
      const replayed = core.next(line);
      if (replayed !== line) return { events, other: { event: events, recorded: line, replayed } };
    }
  }
  if (core === null) throw new Error('it is empty');
  return { events, other: null };
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
      throw new UsageError(`${file} is no whole recording: ${systemErrorText(error)}`);
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
