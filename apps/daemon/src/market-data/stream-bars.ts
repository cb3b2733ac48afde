import type { BarRecord, GatewayClient } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import type { BarSource } from './bar-feed';
import { readBars } from './read-bars';

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
