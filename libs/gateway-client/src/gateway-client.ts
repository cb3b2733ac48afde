import type {
  CancelOrderAnswer,
  CloseAllAnswer,
  ClosePositionAnswer,
  ModifyOrderAnswer,
  ModifySlTpAnswer,
  OrderAnswer,
  OrderSendAnswer,
} from './answers';
import { machineEdge, type ClientEdge } from './client-edge';
import { GatewayControl } from './gateway-control';
import type { Fence } from './fence-records';
import { GatewayFences } from './gateway-fences';
import { GatewayReads } from './gateway-reads';
import { HttpTransport, type TransportRequest } from './http-transport';
import { earlierUnknown, isOfKey, tradeOutcome, type TradeOutcome } from './outcomes';
import { Reader } from './reader';
import type { TradeRequestReport } from './reconciliation-records';
import type {
  CloseAllRequest,
  ClosePartialRequest,
  ClosePositionRequest,
  ModifyOrderRequest,
  ModifySlTpRequest,
  OrderRequest,
  OrderSendRequest,
} from './requests';
import { shapes } from './shapes';
import { GatewayStreams } from './streams';
import { tradeCalls, type TradeCall } from './trade-calls';

export interface GatewayClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /**
   * Returns the account that requests are meant for, called for each one; null means any. A gateway with another
   * account answers nothing: a trade request is `rejected` and a read `refused`, with `account_mismatch`. Health and
   * kill switch pass.
   */
  readonly expectedLogin?: () => number | null;
  /** Deadline of one attempt at a read; 5000. */
  readonly readTimeoutMs?: number;
  /** The same for a span of bars, ticks, deals or orders; 60000. */
  readonly spanReadTimeoutMs?: number;
  /** Total attempts at a read; 3. */
  readonly readAttempts?: number;
  /** Wait before the second attempt at a read, doubling; 100. */
  readonly readBackoffMs?: number;
  /** How long to wait for the outcome of a trade or control request; 30000, longer than the gateway's own deadline. */
  readonly tradeTimeoutMs?: number;
  /** Network and time; those of this machine. */
  readonly edge?: ClientEdge;
}

/**
 * A typed client of one gateway. Reads may be retried. Each call sends a trade request exactly once; an uncertain
 * result is `unknown`, which the caller repeats under the same key and no other.
 */
export class GatewayClient {
  readonly reads: GatewayReads;
  readonly streams: GatewayStreams;
  readonly control: GatewayControl;
  readonly fences: GatewayFences;
  private readonly transport: HttpTransport;
  private readonly reader: Reader;
  private readonly tradeTimeoutMs: number;

  constructor(options: GatewayClientOptions) {
    this.transport = new HttpTransport(
      options.baseUrl,
      options.apiKey,
      options.expectedLogin ?? (() => null),
      options.edge ?? machineEdge,
    );
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
    this.fences = new GatewayFences(this.reader, this.tradeTimeoutMs);
  }

  order(request: OrderRequest, idempotencyKey: string, fence?: Fence): Promise<TradeOutcome<OrderAnswer>> {
    return this.send(tradeCalls.order(request), idempotencyKey, fence);
  }

  /** A trade request in the terminal's own fields; the only one that closes a position by another. */
  orderSend(request: OrderSendRequest, idempotencyKey: string, fence?: Fence): Promise<TradeOutcome<OrderSendAnswer>> {
    return this.send(tradeCalls.orderSend(request), idempotencyKey, fence);
  }

  modifyOrder(
    ticket: number,
    request: ModifyOrderRequest,
    key: string,
    fence?: Fence,
  ): Promise<TradeOutcome<ModifyOrderAnswer>> {
    return this.send(tradeCalls.modifyOrder(ticket, request), key, fence);
  }

  cancelOrder(ticket: number, idempotencyKey: string, fence?: Fence): Promise<TradeOutcome<CancelOrderAnswer>> {
    return this.send(tradeCalls.cancelOrder(ticket), idempotencyKey, fence);
  }

  modifySlTp(
    request: ModifySlTpRequest,
    idempotencyKey: string,
    fence?: Fence,
  ): Promise<TradeOutcome<ModifySlTpAnswer>> {
    return this.send(tradeCalls.modifySlTp(request), idempotencyKey, fence);
  }

  closePosition(
    request: ClosePositionRequest,
    idempotencyKey: string,
    fence?: Fence,
  ): Promise<TradeOutcome<ClosePositionAnswer>> {
    return this.send(tradeCalls.closePosition(request), idempotencyKey, fence);
  }

  closePositionPartial(
    request: ClosePartialRequest,
    key: string,
    fence?: Fence,
  ): Promise<TradeOutcome<ClosePositionAnswer>> {
    return this.send(tradeCalls.closePositionPartial(request), key, fence);
  }

  /** A partial success is also `done`; then the answer's `failed` is not empty. */
  closeAllPositions(
    request: CloseAllRequest,
    idempotencyKey: string,
    fence?: Fence,
  ): Promise<TradeOutcome<CloseAllAnswer>> {
    return this.send(tradeCalls.closeAllPositions(request), idempotencyKey, fence);
  }

  /**
   * Makes a key void, unless a request under it was sent. `status: 'void'` proves that none was or will be sent, even
   * one in transit; any other status is that of the request, which is unchanged.
   * @throws GatewayReadError if there is no answer; then nothing is proven
   */
  async voidTradeRequest(idempotencyKey: string): Promise<TradeRequestReport> {
    const body = await this.reader.put(`/trade_requests/${encodeURIComponent(idempotencyKey)}/void`);
    return shapes.tradeRequest.record(body);
  }

  /**
   * Accepts that the outcome of an undecidable request stays unknown: it leaves `unresolved` of a reconciliation. A
   * request in any other state is unchanged.
   * @param name the idempotency key, or the `id` that a reconciliation gives for a request without one
   * @throws GatewayReadError if there is no answer
   */
  async acceptUnknownOutcome(name: string): Promise<TradeRequestReport> {
    const body = await this.reader.put(`/trade_requests/${encodeURIComponent(name)}/accept`);
    return shapes.tradeRequest.record(body);
  }

  /**
   * Sends one trade call once. Never throws.
   * @param fence the lease that it is sent under; a lower token than the raised one is `rejected` with `fenced_out`
   * @param traceparent the W3C header of the trace that it belongs to
   */
  async send<Body>(
    call: TradeCall,
    idempotencyKey: string,
    fence?: Fence,
    traceparent?: string,
  ): Promise<TradeOutcome<Body>> {
    const request: TransportRequest = {
      method: call.method,
      path: call.path,
      idempotencyKey,
      timeoutMs: this.tradeTimeoutMs,
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(fence === undefined ? {} : { fence: `${fence.name};${fence.token}` }),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
    return tradeOutcome<Body>(await this.transport.exchange(request));
  }

  /**
   * Sends a call again whose earlier send under the same key is `unknown`. Never throws. A refusal of this send, such as of a wrong
   * API key or during a halt, states nothing about the earlier one: the key is made void first, or its record is the outcome.
   */
  async resend<Body>(call: TradeCall, idempotencyKey: string, fence?: Fence): Promise<TradeOutcome<Body>> {
    const outcome = await this.send<Body>(call, idempotencyKey, fence);
    if ((outcome.kind !== 'rejected' && outcome.kind !== 'blocked') || isOfKey(outcome)) return outcome;
    try {
      const { status, response_status, response } = await this.voidTradeRequest(idempotencyKey);
      if (status === 'void') return outcome;
      if ((status === 'completed' || status === 'recovered' || status === 'absent') && response_status !== null) {
        const answer = { status: response_status, body: response, replayed: true, retryAfterMs: null };
        return tradeOutcome<Body>({ kind: 'answered', ...answer });
      }
    } catch {
      // Nothing is proven.
    }
    return earlierUnknown(outcome);
  }
}
