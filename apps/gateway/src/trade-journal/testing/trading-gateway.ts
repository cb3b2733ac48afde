import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '@libs/files';
import { Simulator } from '@libs/simulator';
import { tradeRequest, type OrderSendResult, type TradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { EMBEDDED_SIMULATOR } from '../../terminal/terminal.module';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../../testing/gateway-under-test';
import { JumpingClock } from './jumping-clock';

/** Tests read answers by field; a missing field is undefined. */
export type Json = Readonly<Record<string, unknown>>;

export interface Answer<Body = Json> {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The fields of an audit line that tests read. */
export interface AuditLine extends Json {
  readonly event: string;
  readonly sequence: number;
  readonly intent_id: string | null;
}

/** The whole gateway with the simulated broker, and the means to make both fail. Prices stand still until stepped. */
export class TradingGateway {
  private constructor(
    private gateway: GatewayUnderTest,
    readonly clock: JumpingClock,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @param files the machine's own unless a test delays them */
  static async start(env: Readonly<Record<string, string>> = {}, files?: Files): Promise<TradingGateway> {
    const clock = new JumpingClock(Date.UTC(2026, 0, 7, 10));
    const settings = { SIM_HOURS: 'always', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens', ...env };
    const edge = { clock, ...(files && { files }) };
    return new TradingGateway(await gatewayUnderTest({ env: settings, ...edge }), clock, settings);
  }

  get folder(): string {
    return this.gateway.folder;
  }

  get simulator(): Simulator {
    return this.gateway.app.get<Simulator>(EMBEDDED_SIMULATOR);
  }

  async send<Body = Json>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    payload?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const response = await this.gateway.call({
      method,
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    });
    return {
      status: response.statusCode,
      body: JSON.parse(response.body) as Body,
      text: response.body,
      headers: response.headers,
    };
  }

  get<Body = Json>(url: string): Promise<Answer<Body>> {
    return this.send<Body>('GET', url);
  }

  post<Body = Json>(url: string, payload?: object, key?: string): Promise<Answer<Body>> {
    return this.send<Body>('POST', url, payload, key === undefined ? {} : { 'idempotency-key': key });
  }

  /** Rows of a collection route. */
  async rows(url: string): Promise<Json[]> {
    return [...(await this.get<{ readonly data: readonly Json[] }>(url)).body.data];
  }

  /** Buys at market and returns the ticket of the position. */
  async buy(fields: Json = {}): Promise<number> {
    const answer = await this.post<{ result: { order: number } }>('/order', { ...eurusd, type: 'BUY', ...fields });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.result.order;
  }

  /** Sends a request to the broker past the gateway, as a person at the terminal does. */
  async byHand(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): Promise<OrderSendResult> {
    const session = this.simulator.connect();
    await session.connect();
    const outcome = await session.orderSend(sealRequest('by hand', tradeRequest(fields)));
    if (outcome.kind !== 'answered') throw new Error(outcome.kind);
    return outcome.result;
  }

  async quote(symbol = 'EURUSD'): Promise<{ readonly bid: number; readonly ask: number }> {
    return (await this.get<{ bid: number; ask: number }>(`/symbol_info_tick/${symbol}`)).body;
  }

  /** Advances virtual time until a request is answered; disk writes take real time. */
  async waitFor<T>(pending: Promise<T>, stepMs = 250): Promise<T> {
    let settled = false;
    const watched = pending.finally(() => (settled = true));
    watched.catch(() => undefined);
    while (!settled) {
      await this.clock.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return watched;
  }

  /** Advances virtual time until everything that happened so far is older: lists that lag by that time still show it. */
  async agedBy(ms: number): Promise<void> {
    await this.waitFor(this.clock.sleep(ms + 1_000), 10_000);
  }

  /** Advances virtual time until a condition holds. */
  async until(holds: () => boolean | Promise<boolean>, stepMs = 1_000): Promise<void> {
    for (let step = 0; step < 500; step++) {
      if (await holds()) return;
      await this.clock.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error('the condition never held');
  }

  /** The status of a key in the journal, null if it is unknown. */
  async statusOf(key: string): Promise<unknown> {
    return (await this.get(`/trade_requests/${encodeURIComponent(key)}`)).body.status ?? null;
  }

  audit(): AuditLine[] {
    return readFileSync(join(this.folder, 'order-audit.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditLine);
  }

  /** The sum of a metric's series; 0 if it has none. */
  async metric(name: string): Promise<number> {
    const page = await this.gateway.call('/metrics');
    return page.body
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /**
   * Stops the gateway and starts another one on the same folder, as after a restart of the machine.
   * @param env other settings of the second one
   */
  async restart(
    meanwhile: () => void | Promise<void> = () => undefined,
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.waitFor(this.gateway.stop());
    await meanwhile();
    const { clock, folder } = this;
    this.gateway = await gatewayUnderTest({ env: { ...this.env, ...env }, clock, folder });
  }

  async stop(): Promise<void> {
    // A look-up may be waiting for a slow read.
    await this.waitFor(this.gateway.stop());
    removeFolder(this.folder);
  }
}

/** The usual order, without its type. */
export const eurusd = { symbol: 'EURUSD', volume: 0.1 } as const;
