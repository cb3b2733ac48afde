import type { FullBarRecord, GatewayReads } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import { shown } from '../backtest/period';
import { timeframeMs } from '../core/timeframe';
import { digestOf, handledBarsIn, type HandledBars } from '../logs/handled-bars';
import type { ComparedTrade } from './compared-trade';
import type { Evidence, Records } from './live-comparison';
import type { Span } from './live-trade';

const dayMs = 86_400_000;

/** A span in which the bars differ from those that the strategy received. Both ends are opens of bars in UTC milliseconds. */
interface OtherBars {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The bars of a stream that a period has, beside those that the strategy received live. */
interface ReceivedStream {
  readonly stream: string;
  readonly barMs: number;
  readonly bars: number;
  readonly same: number;
  /** Bars of hours or days with another bar among them. */
  readonly different: number;
  readonly unrecorded: number;
  readonly late: number;
  readonly others: readonly OtherBars[];
}

/** Whether the bars that the gateway has are those that a strategy received, as its log shows. */
export class ReceivedBars implements Records {
  private constructor(
    private readonly name: string,
    private readonly streams: readonly ReceivedStream[],
  ) {}

  /** @param lines of the log of the strategy @throws GatewayReadError */
  static async read(
    reads: GatewayReads,
    { name, streams }: { readonly name: string; readonly streams: readonly Stream[] },
    lines: readonly string[],
    span: Span,
  ): Promise<ReceivedBars> {
    const handled = lines.flatMap((line) => handledBarsIn(line) ?? []);
    const found: ReceivedStream[] = [];
    for (const { broker, symbol, timeframe } of streams) {
      const stream = `${broker}:${symbol}@${timeframe}`;
      if (found.some((known) => known.stream === stream)) continue;
      const records = await readBars(reads, symbol, timeframe, span);
      const own = handled.filter((part) => part.stream === stream);
      found.push(receivedOf(stream, timeframeMs(timeframe) ?? 31 * dayMs, records, own, span));
    }
    return new ReceivedBars(name, found);
  }

  /** One sentence for each stream with bars that differ or cannot be compared. */
  get notes(): readonly string[] {
    return this.streams.flatMap((stream) => {
      const { bars, same, different, unrecorded, late, others } = stream;
      if (bars === 0 || (same === bars && late === 0)) return [];
      const parts = [
        ...(different === 0
          ? []
          : [`${different} are of times in which a bar was another one (${others.map(textOf).join(', ')})`]),
        ...(unrecorded === 0 ? [] : [`${unrecorded} are not on record`]),
        ...(late === 0 ? [] : [`${late} came late`]),
      ];
      return [
        `${this.name} received ${same} of the ${bars} bars of ${stream.stream} as the gateway has them now; ${parts.join(', ')}.`,
      ];
    });
  }

  of({ openedMs }: ComparedTrade): Evidence | null {
    for (const { stream, others, barMs } of this.streams) {
      // An entry that is decided on the last bar is made while the next one forms.
      const other = others.find(({ fromMs, toMs }) => openedMs >= fromMs && openedMs < toMs + 2 * barMs);
      if (other) return { cause: 'other bars', detail: `${stream}, ${textOf(other)}` };
    }
    return null;
  }
}

/** The first evidence of several records. */
export function firstOf(...all: readonly (Records | null)[]): Records {
  return {
    of: (missing) => {
      for (const records of all) {
        const found = records?.of(missing) ?? null;
        if (found) return found;
      }
      return null;
    },
  };
}

function receivedOf(
  stream: string,
  barMs: number,
  records: readonly FullBarRecord[],
  handled: readonly HandledBars[],
  { fromMs, toMs }: Span,
): ReceivedStream {
  const isInside = ({ time }: FullBarRecord): boolean => Date.parse(time) >= fromMs && Date.parse(time) < toMs;
  const all = records.filter(isInside).length;
  let [same, different, late] = [0, 0, 0];
  const others: OtherBars[] = [];
  for (const part of handled) {
    const own = records.filter((record) => isOf(part, record));
    const inside = own.filter(isInside).length;
    const [first, last] = [own[0], own.at(-1)];
    if (!first || !last || inside === 0) continue;
    late += part.late;
    if (own.length === part.bars && digestOf(own.map(handledOf)) === part.digest) same += inside;
    else {
      different += inside;
      others.push({ fromMs: Date.parse(first.time), toMs: Date.parse(last.time) });
    }
  }
  return { stream, barMs, bars: all, same, different, unrecorded: all - same - different, late, others };
}

function isOf({ firstServerMs, lastServerMs }: HandledBars, { time_server: seconds }: FullBarRecord): boolean {
  return seconds * 1_000 >= firstServerMs && seconds * 1_000 <= lastServerMs;
}

function handledOf({ time_server: seconds, open, high, low, close }: FullBarRecord) {
  return { serverMs: seconds * 1_000, open, high, low, close };
}

/** The bars that open in a period, and those of the day before, where a part of the log may begin. */
async function readBars(
  reads: GatewayReads,
  symbol: string,
  timeframe: string,
  { fromMs, toMs }: Span,
): Promise<readonly FullBarRecord[]> {
  const records: FullBarRecord[] = [];
  // Both ends of a gateway's span are inside; a day has 1440 bars at most.
  for (let at = fromMs - dayMs; at < toMs; at += dayMs) {
    const until = Math.min(at + dayMs, toMs) - 1;
    records.push(...(await reads.fetchDataRange(symbol, timeframe, new Date(at), new Date(until))));
  }
  return records;
}

function textOf({ fromMs, toMs }: OtherBars): string {
  return `${shown(fromMs)} to ${shown(toMs)}`;
}
