import type { BarRecord, GatewayClient } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import type { BarSource } from './bar-feed';

/** The gateway that has the bars, and what has to be read with them. */
export interface BarGateway {
  readonly client: GatewayClient;
  /** Reads the account, and the quote and the specification of a symbol. Reports failed reads. */
  refresh(symbol: string): Promise<void>;
  failed(what: string, error: unknown, symbol?: string): void;
}

/** The bars of one symbol and timeframe at a gateway. */
export class StreamBars implements BarSource {
  constructor(
    private readonly stream: Pick<Stream, 'symbol' | 'timeframe'>,
    private readonly gateway: BarGateway,
  ) {}

  read(count: number): Promise<BarRecord[]> {
    const { symbol, timeframe } = this.stream;
    const { reads } = this.gateway.client;
    return readBars((bars, startPos) => reads.fetchDataPos(symbol, timeframe, bars, startPos), count);
  }

  refresh(): Promise<void> {
    return this.gateway.refresh(this.stream.symbol);
  }

  failed(error: unknown): void {
    const { symbol, timeframe } = this.stream;
    this.gateway.failed(`bars of ${symbol}@${timeframe}`, error, symbol);
  }
}

/** Bars of one request: the length of a warm-up must not depend on MAX_NUM_BARS of a gateway. */
const mostPerRequest = 2_000;

/** Bars that may open between two requests: a replay may run hundreds of times faster than the clock. */
const openingMeanwhile = 100;

/** Reads `count` bars, the newest `startPos` bars before the forming one; ascending. */
type BarsAt = (count: number, startPos: number) => Promise<BarRecord[]>;

/**
 * The last `count` bars, the forming one last, however many that are; fewer only when the gateway has no more. Each
 * request begins with the oldest bar of the one before: bars that open in between move the rest on, and leave no hole.
 * @throws Error when the requests do not meet, as when the broker's zone became known between them
 */
export async function readBars(read: BarsAt, count: number): Promise<BarRecord[]> {
  let bars = await read(Math.min(mostPerRequest, count), 0);
  while (bars.length < count && bars.length >= mostPerRequest) {
    const asked = Math.min(mostPerRequest, count - bars.length + 1 + openingMeanwhile);
    const older = await read(asked, bars.length - 1);
    const oldest = bars[0]?.time_server ?? NaN;
    const meets = older.some(({ time }) => time === bars[0]?.time);
    if (!meets) throw new Error('the bars changed during the read');
    const before = older.filter(({ time_server }) => time_server < oldest);
    bars = [...before, ...bars];
    if (older.length < asked) break;
  }
  return bars.slice(-count);
}
