import type {
  CancelOrderAnswer,
  CloseAllAnswer,
  ClosePositionAnswer,
  ModifyOrderAnswer,
  ModifySlTpAnswer,
  OrderAnswer,
} from './answers';
import { GatewayControl } from './gateway-control';
import { GatewayReads } from './gateway-reads';
import { HttpTransport, type TransportRequest } from './http-transport';
import { tradeOutcome, type TradeOutcome } from './outcomes';
import { recordOf, shapes } from './parse';
import { Reader } from './reader';
import type { TradeRequestReport } from './reconciliation-records';
import type {
  CloseAllRequest,
  ClosePartialRequest,
  ClosePositionRequest,
  ModifyOrderRequest,
  ModifySlTpRequest,
  OrderRequest,
} from './requests';
import { GatewayStreams } from './streams';
import { tradeCalls, type TradeCall } from './trade-calls';

export interface GatewayClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /**
   * The account every request is meant for, asked at each one; null is any. A gateway with another one answers nothing:
   * a trade request is then `rejected` and a read `refused`, with `account_mismatch`. Health and kill switch pass.
   */
  readonly expectedLogin?: () => number | null;
  /** Deadline of one attempt at a read; 5000. */
  readonly readTimeoutMs?: number;
  /** The same for a span of bars, ticks, deals or orders; 60000. */
  readonly spanReadTimeoutMs?: number;
  /** Attempts at a read in all; 3. */
  readonly readAttempts?: number;
  /** Wait before the second attempt at a read, doubling; 100. */
  readonly readBackoffMs?: number;
  /** How long to wait for what became of a trade or control request; 30000, beyond the gateway's own deadline. */
  readonly tradeTimeoutMs?: number;
}

/**
 * One gateway, typed. Reads may be tried again; a trade request goes out exactly once a call, and what cannot be told
 * of it comes back as `unknown`, to be repeated by the caller under the same key and no other.
 */
export class GatewayClient {
  readonly reads: GatewayReads;
  readonly streams: GatewayStreams;
  readonly control: GatewayControl;
  private readonly transport: HttpTransport;
  private readonly reader: Reader;
  private readonly tradeTimeoutMs: number;

  constructor(options: GatewayClientOptions) {
    this.transport = new HttpTransport(options.baseUrl, options.apiKey, options.expectedLogin);
    this.streams = new GatewayStreams(this.transport);
    this.tradeTimeoutMs = options.tradeTimeoutMs ?? 30_000;
    this.control = new GatewayControl(this.transport, this.tradeTimeoutMs);
    this.reader = new Reader(this.transport, {
      timeoutMs: options.readTimeoutMs ?? 5_000,
      spanTimeoutMs: options.spanReadTimeoutMs ?? 60_000,
      attempts: options.readAttempts ?? 3,
      backoffMs: options.readBackoffMs ?? 100,
    });
    this.reads = new GatewayReads(this.reader);
  }

  order(request: OrderRequest, idempotencyKey: string): Promise<TradeOutcome<OrderAnswer>> {
    return this.send(tradeCalls.order(request), idempotencyKey);
  }

  modifyOrder(ticket: number, request: ModifyOrderRequest, key: string): Promise<TradeOutcome<ModifyOrderAnswer>> {
    return this.send(tradeCalls.modifyOrder(ticket, request), key);
  }

  cancelOrder(ticket: number, idempotencyKey: string): Promise<TradeOutcome<CancelOrderAnswer>> {
    return this.send(tradeCalls.cancelOrder(ticket), idempotencyKey);
  }

  modifySlTp(request: ModifySlTpRequest, idempotencyKey: string): Promise<TradeOutcome<ModifySlTpAnswer>> {
    return this.send(tradeCalls.modifySlTp(request), idempotencyKey);
  }

  closePosition(request: ClosePositionRequest, idempotencyKey: string): Promise<TradeOutcome<ClosePositionAnswer>> {
    return this.send(tradeCalls.closePosition(request), idempotencyKey);
  }

  closePositionPartial(request: ClosePartialRequest, key: string): Promise<TradeOutcome<ClosePositionAnswer>> {
    return this.send(tradeCalls.closePositionPartial(request), key);
  }

  /** `done` is also what was done in part: then the answer's `failed` is not empty. */
  closeAllPositions(request: CloseAllRequest, idempotencyKey: string): Promise<TradeOutcome<CloseAllAnswer>> {
    return this.send(tradeCalls.closeAllPositions(request), idempotencyKey);
  }

  /**
   * Makes a key void, unless a request under it was sent. `status: 'void'` proves that none was and none will be, one
   * in transit included; any other status is that of the request, which is left as it is.
   * @throws GatewayReadError when there is no answer: then nothing is proven
   */
  async voidTradeRequest(idempotencyKey: string): Promise<TradeRequestReport> {
    const body = await this.reader.put(`/trade_requests/${encodeURIComponent(idempotencyKey)}/void`);
    return recordOf(body, shapes.tradeRequest, 'trade request');
  }

  /** Sends one trade call once. Never throws. */
  async send<Body>(call: TradeCall, idempotencyKey: string): Promise<TradeOutcome<Body>> {
    const request: TransportRequest = {
      method: call.method,
      path: call.path,
      idempotencyKey,
      timeoutMs: this.tradeTimeoutMs,
      ...(call.body === undefined ? {} : { body: call.body }),
    };
    return tradeOutcome<Body>(await this.transport.exchange(request));
  }
}
