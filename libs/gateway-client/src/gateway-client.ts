import { GatewayReads } from './gateway-reads';
import { HttpTransport, type TransportRequest } from './http-transport';
import { tradeOutcome, type TradeOutcome } from './outcomes';
import { GatewayStreams } from './streams';
import type { ClosePositionRequest, ModifySlTpRequest, MutationAnswer, OrderAnswer, OrderRequest } from './requests';

export interface GatewayClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Deadline of one attempt at a read; 5000. */
  readonly readTimeoutMs?: number;
  /** Attempts at a read in all; 3. */
  readonly readAttempts?: number;
  /** Wait before the second attempt at a read, doubling; 100. */
  readonly readBackoffMs?: number;
  /** How long to wait for what became of a trade request; 30000, beyond the gateway's own deadline. */
  readonly tradeTimeoutMs?: number;
}

/** A trade request as it goes to the gateway: what a journal has to keep in order to repeat it under its key. */
export interface TradeCall {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** The calls of the gateway's trade routes, as values. */
export const tradeCalls = {
  order: (request: OrderRequest): TradeCall => ({ method: 'POST', path: '/order', body: request }),
  modifySlTp: (request: ModifySlTpRequest): TradeCall => ({ method: 'POST', path: '/modify_sl_tp', body: request }),
  closePosition: (request: ClosePositionRequest): TradeCall => ({
    method: 'POST',
    path: '/close_position',
    body: request,
  }),
  cancelOrder: (ticket: number): TradeCall => ({ method: 'DELETE', path: `/orders/${ticket}` }),
} as const;

/**
 * One gateway, typed. Reads may be tried again; a trade request goes out exactly once a call, and what cannot be told
 * of it comes back as `unknown`, to be repeated by the caller under the same key and no other.
 */
export class GatewayClient {
  readonly reads: GatewayReads;
  readonly streams: GatewayStreams;
  private readonly transport: HttpTransport;
  private readonly tradeTimeoutMs: number;

  constructor(options: GatewayClientOptions) {
    this.transport = new HttpTransport(options.baseUrl, options.apiKey);
    this.streams = new GatewayStreams(this.transport);
    this.tradeTimeoutMs = options.tradeTimeoutMs ?? 30_000;
    this.reads = new GatewayReads(this.transport, {
      timeoutMs: options.readTimeoutMs ?? 5_000,
      attempts: options.readAttempts ?? 3,
      backoffMs: options.readBackoffMs ?? 100,
    });
  }

  order(request: OrderRequest, idempotencyKey: string): Promise<TradeOutcome<OrderAnswer>> {
    return this.send(tradeCalls.order(request), idempotencyKey);
  }

  modifySlTp(request: ModifySlTpRequest, idempotencyKey: string): Promise<TradeOutcome<MutationAnswer>> {
    return this.send(tradeCalls.modifySlTp(request), idempotencyKey);
  }

  closePosition(request: ClosePositionRequest, idempotencyKey: string): Promise<TradeOutcome<MutationAnswer>> {
    return this.send(tradeCalls.closePosition(request), idempotencyKey);
  }

  cancelOrder(ticket: number, idempotencyKey: string): Promise<TradeOutcome<MutationAnswer>> {
    return this.send(tradeCalls.cancelOrder(ticket), idempotencyKey);
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
