import { setTimeout as pause } from 'node:timers/promises';
import { type HttpTransport } from './http-transport';
import { envelopeOf } from './outcomes';
import { recordOf, rowsOf, shapes } from './parse';
import { GatewayReadError } from './read-error';
import type {
  AccountRecord,
  BarRecord,
  DealRecord,
  HealthReport,
  OrderRecord,
  PositionRecord,
  Reconciliation,
  SymbolRecord,
  TickRecord,
  TradeRequestReport,
} from './records';

export interface ReadOptions {
  /** Deadline of one attempt. */
  readonly timeoutMs: number;
  /** Attempts in all; only failures that may pass are tried again. */
  readonly attempts: number;
  /** Wait before the second attempt; doubles from there. */
  readonly backoffMs: number;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * The gateway's reads. Each throws {@link GatewayReadError} when it has no answer, and tries again what may pass.
 * An empty list is returned only when the gateway said that it is empty.
 */
export class GatewayReads {
  constructor(
    private readonly transport: HttpTransport,
    private readonly options: ReadOptions,
  ) {}

  async health(): Promise<HealthReport> {
    return recordOf(await this.get('/health'), shapes.health, 'health report');
  }

  async account(): Promise<AccountRecord> {
    return recordOf(await this.get('/account'), shapes.account, 'account');
  }

  async symbolInfo(symbol: string): Promise<SymbolRecord> {
    return recordOf(await this.get(`/symbol_info/${encodeURIComponent(symbol)}`), shapes.symbol, 'symbol');
  }

  async symbolInfoTick(symbol: string): Promise<TickRecord> {
    return recordOf(await this.get(`/symbol_info_tick/${encodeURIComponent(symbol)}`), shapes.tick, 'tick');
  }

  /** Bars, ascending; with `startPos` 0 the last one is still forming. */
  async fetchDataPos(symbol: string, timeframe: string, numBars: number, startPos = 0): Promise<BarRecord[]> {
    const query = { symbol, timeframe, num_bars: numBars, start_pos: startPos };
    return rowsOf(await this.get('/fetch_data_pos', query), 'data', shapes.bar, 'bar');
  }

  async positions(filter: { readonly magic?: number; readonly symbol?: string } = {}): Promise<PositionRecord[]> {
    return rowsOf(await this.get('/get_positions', filter), 'data', shapes.position, 'position');
  }

  async orders(filter: { readonly magic?: number; readonly symbol?: string } = {}): Promise<OrderRecord[]> {
    return rowsOf(await this.get('/orders', filter), 'data', shapes.order, 'order');
  }

  /** All deals of one position. */
  async dealsOfPosition(position: number): Promise<DealRecord[]> {
    return rowsOf(await this.get('/history_deals_get', { position }), 'data', shapes.deal, 'deal');
  }

  /** One order, pending or done; null when the terminal knows no such. */
  async orderFromTicket(ticket: number): Promise<OrderRecord | null> {
    return this.orNull(async () =>
      recordOf(await this.get('/get_order_from_ticket', { ticket }), shapes.pastOrder, 'order'),
    );
  }

  /** Positions, orders and recent deals as of one instant; of one magic, or of the whole account. */
  async reconcile(filter: { readonly magic?: number; readonly lookback_hours?: number } = {}): Promise<Reconciliation> {
    const body = await this.get('/reconcile', filter);
    return {
      as_of: String(recordOf<{ as_of: string }>(body, { as_of: 'string' }, 'reconciliation').as_of),
      positions: rowsOf(body, 'positions', shapes.position, 'position'),
      orders: rowsOf(body, 'orders', shapes.order, 'order'),
      deals: rowsOf(body, 'deals', shapes.deal, 'deal'),
      unresolved: rowsOf(body, 'unresolved', {}, 'trade request'),
    };
  }

  /** What became of an idempotency key; null when the gateway's journal does not know it. */
  async tradeRequest(key: string): Promise<TradeRequestReport | null> {
    return this.orNull(async () =>
      recordOf(await this.get(`/trade_requests/${encodeURIComponent(key)}`), shapes.tradeRequest, 'trade request'),
    );
  }

  private async orNull<T>(read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof GatewayReadError && error.errorType === 'not_found') return null;
      throw error;
    }
  }

  private async get(path: string, query: Query = {}): Promise<unknown> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const target = search.size === 0 ? path : `${path}?${search.toString()}`;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(target);
      } catch (error) {
        const again = error instanceof GatewayReadError && error.isTransient && attempt < this.options.attempts;
        if (!again) throw error;
        await pause(this.options.backoffMs * 2 ** (attempt - 1));
      }
    }
  }

  private async attempt(path: string): Promise<unknown> {
    const answer = await this.transport.exchange({ method: 'GET', path, timeoutMs: this.options.timeoutMs });
    if (answer.kind !== 'answered') throw new GatewayReadError(answer.kind, answer.reason);
    const { status, body } = answer;
    const { ok, error, error_type } = envelopeOf(body);
    if (status === 200 && ok === true) return body;
    if (ok === false) throw new GatewayReadError('refused', error ?? `status ${status}`, status, error_type ?? null);
    throw new GatewayReadError('malformed', `status ${status} without the gateway's envelope`, status);
  }
}
