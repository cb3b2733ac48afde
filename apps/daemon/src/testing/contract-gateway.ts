import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AccountMarginMode, AccountTradeMode, Retcode, SymbolTradeMode, TradeReason } from '@libs/trade-constants';
import { refusal, success, type Answer, type Row } from './contract-answer';
import { ContractBroker } from './contract-broker';
import { readOf, type Shown } from './contract-reads';
import { heldBack } from './real-work';

/** What goes wrong with the next request to a route: before the broker acts, or after it did. */
export type Fault = 'lost-before' | 'lost-after' | 'unknown-before' | 'unknown-after';

/**
 * The gateway's contract over a real socket, with {@link ContractBroker} behind it: durable keys, voids, fences and health.
 * Its faults are the point of it.
 */
export class ContractGateway implements Shown {
  readonly broker = new ContractBroker();
  readonly account: Row = {
    login: 100001,
    trade_mode: AccountTradeMode.DEMO,
    margin_mode: AccountMarginMode.RETAIL_HEDGING,
    balance: 10_000,
    equity: 10_000,
    credit: 0,
    currency: 'USD',
    server: 'Demo',
  };
  readonly positions = this.broker.positions;
  readonly deals = this.broker.deals;
  readonly bars: Row[] = [];
  readonly ownBars = new Map<string, Row[]>();
  readonly ticks: Row[] = [];
  readonly symbol: Row = {
    ...{ digits: 5, point: 0.00001, trade_tick_size: 0.00001, trade_tick_value: 1, trade_contract_size: 100_000 },
    ...{ volume_min: 0.01, volume_max: 100, volume_step: 0.01, trade_stops_level: 10 },
    trade_mode: SymbolTradeMode.FULL,
  };
  readonly tick: Row = { time_msc: 0, time_utc: '2024-01-01T00:00:00Z', bid: 1.1, ask: 1.1001 };
  /** The price of each request for a margin. */
  readonly marginPrices: unknown[] = [];
  /** The trace header of each send. */
  readonly traceparents: string[] = [];
  /** Every trade request in the order it arrived, with its key. */
  readonly sends: { readonly path: string; readonly key: string; readonly body: Row }[] = [];
  /** Faults by route, each good for one request. */
  readonly faults: { readonly path: string; readonly fault: Fault }[] = [];
  /** Requests that the broker rejects: route, return code, and how many. */
  refusal: { readonly path: string; readonly retcode: number; times: number } | null = null;
  /** How many of the next closes the broker accepts without a fill (10008). */
  closesToAccept = 0;
  /** While set, every route answers this. */
  always: Answer | null = null;
  /** The margin of every lot; null: the terminal computes none. */
  margin: number | null = 1_101;
  killSwitch = false;
  /** Token below which a request that names a fence is refused. */
  fence = 0;
  /** What the daemon's key permits. */
  apiKey: 'full' | 'read_only' = 'full';
  /** Answers an order without its ticket. */
  namesNoOrder = false;
  hidesDeals = false;
  /** Symbols that the broker has removed. */
  readonly removed = new Set<string>();
  /** Runs before a read is answered, with the first part of its path. */
  onRead: (route: string) => void = () => undefined;
  /** A read is not answered before this is done. */
  beforeAnswer: (url: URL) => Promise<void> = () => Promise.resolve();
  /** While true, no key can be made void. */
  refusesVoid = false;
  /** The keys that were made void. */
  readonly voids = new Set<string>();
  /** Runs after a key was made void, before the answer. */
  onVoid: () => void = () => undefined;
  /** A route whose requests have an outcome that cannot be found out. */
  undecidable: string | null = null;
  /** What of the account nothing explains, as `/health` lists it. Reads of positions still answer. */
  unexplained: Row[] = [];
  /** Positions are a failed read while {@link unexplained} has rows. */
  hidesLists = false;
  /** The record of the account is a failed read while {@link unexplained} has rows. */
  hidesMoney = false;
  /** The session with the terminal, as `/health` reports it while nothing is unexplained. */
  session = 'connected';
  /** What account and journal disagree on, as `/health` lists it. */
  differences: Row[] = [];
  /** The journal as `/health` reports it. */
  journalHealth = { id: 'journal-1', state: 'ok', reason: null as string | null, sequence: 1 };
  private readonly journal = new Map<string, Answer>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => this.onRequest(request, response));
  }

  static async start(): Promise<ContractGateway> {
    const gateway = new ContractGateway();
    await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /**
   * As if its state directory had been lost, and an operator had accepted the journal that replaces the lost one.
   * @returns what puts the lost journal back
   */
  loseJournal(): () => void {
    const { journalHealth } = this;
    const [lost, lostVoids] = [new Map(this.journal), new Set(this.voids)];
    this.journal.clear();
    this.voids.clear();
    this.journalHealth = { ...this.journalHealth, id: `${this.journalHealth.id}+` };
    this.broker.forgetKeys();
    return () => {
      this.journalHealth = journalHealth;
      lost.forEach((answer, key) => this.journal.set(key, answer));
      lostVoids.forEach((key) => this.voids.add(key));
    };
  }

  /** The outcome under a key was found out: done. */
  find(key: string): void {
    this.journal.set(key, success({ message: 'done', result: { retcode: Retcode.DONE } }));
  }

  /** Closes a position at the broker: by stop-loss, or manually. */
  closeAtBroker(ticket: number, reason: number, profit: number): void {
    this.broker.closeUnasked(ticket, reason, profit);
  }

  /** A position the daemon never asked for. */
  openAtBroker(magic: number, volume = 0.1): number {
    return this.broker.open({ symbol: 'EURUSD', volume, type: 'BUY', magic }, null, 0);
  }

  /** The close that the broker accepted last is filled. */
  fillAccepted(): void {
    this.broker.fillAccepted();
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://gateway');
      const text = Buffer.concat(chunks).toString();
      const body = text === '' ? {} : (JSON.parse(text) as Row);
      const reply = (): void => this.reply(request, response, url, body);
      if (request.method === 'GET') void heldBack(this.beforeAnswer(url)).then(reply);
      else reply();
    });
  }

  private reply(request: IncomingMessage, response: ServerResponse, url: URL, body: Row): void {
    const answer = this.always ?? this.answer(request, url, body);
    if (answer === null) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  }

  private answer(request: IncomingMessage, url: URL, body: Row): Answer | null {
    if (url.pathname === '/order_calc_margin') this.marginPrices.push(body['price']);
    if (request.method === 'GET' || url.pathname === '/order_calc_margin') return this.read(url);
    if (url.pathname.startsWith('/trade_requests/')) return this.makeVoid(url);
    return this.trade(request, url, body);
  }

  private makeVoid(url: URL): Answer {
    const key = decodeURIComponent(url.pathname.split('/')[2] ?? '');
    if (this.refusesVoid) return refusal(503, 'journal_unavailable');
    if (!this.journal.has(key)) {
      this.voids.add(key);
      this.journal.set(key, refusal(422, 'key_void'));
    }
    const answer = this.read(new URL(`/trade_requests/${encodeURIComponent(key)}`, url));
    this.onVoid();
    return answer;
  }

  private trade(request: IncomingMessage, url: URL, body: Row): Answer | null {
    const [, token] = String(request.headers['x-fence'] ?? '').split(';');
    if (token !== undefined && Number(token) < this.fence) return refusal(412, 'fenced_out');
    const key = String(request.headers['idempotency-key']);
    this.sends.push({ path: url.pathname, key, body });
    this.traceparents.push(String(request.headers['traceparent']));
    const index = this.faults.findIndex(({ path }) => path === url.pathname);
    const fault = index === -1 ? undefined : this.faults.splice(index, 1)[0]?.fault;
    const unknown = refusal(502, 'unknown_outcome');
    if (fault === 'lost-before') return null;
    if (fault === 'unknown-before') return unknown;
    if (this.killSwitch) return refusal(423, 'kill_switch_active');
    const answer = this.journal.get(key) ?? this.act(url.pathname, body, key);
    this.journal.set(key, answer);
    if (fault === 'lost-after') return null;
    return fault === 'unknown-after' ? unknown : answer;
  }

  private act(path: string, body: Row, key: string): Answer {
    if (path === this.undecidable) {
      const { body: refused } = refusal(502, 'unknown_outcome');
      return { status: 502, body: { ...refused, details: { undecidable: true } } };
    }
    if (this.refusal?.path === path && this.refusal.times-- > 0) {
      return refusal(422, 'broker_rejected', this.refusal.retcode);
    }
    if (path === '/order') return this.open(body, key);
    const reference = body['position'] as { ticket: number; volume?: number } | number;
    const whole = typeof reference === 'number';
    const position = this.broker.position(whole ? reference : reference.ticket);
    if (!position) return refusal(404, 'not_found');
    if (path === '/modify_sl_tp') {
      Object.assign(position, { sl: body['sl'] ?? position['sl'], tp: body['tp'] ?? position['tp'] });
      return success({ message: 'modified', result: { retcode: Retcode.DONE } });
    }
    const volume = (whole ? undefined : reference.volume) ?? Number(position['volume']);
    if (this.closesToAccept-- > 0) {
      const order = this.broker.accept(position, volume, key);
      return success({
        message: 'accepted',
        state: 'placed',
        closed_volume: 0,
        result: { retcode: Retcode.PLACED, order },
      });
    }
    const order = this.broker.close(position, volume, key);
    return success({ message: 'closed', result: { retcode: Retcode.DONE, order } });
  }

  private open(body: Row, key: string): Answer {
    if (Number(body['volume']) > 50) return refusal(422, 'broker_rejected', Retcode.NO_MONEY);
    const order = this.broker.open(body, key, TradeReason.EXPERT);
    const named = this.namesNoOrder ? {} : { order, deal: order + 1 };
    return success({ message: 'done', state: 'executed', result: { retcode: Retcode.DONE, ...named } });
  }

  private read(url: URL): Answer {
    const [, route = '', parameter = ''] = url.pathname.split('/');
    this.onRead(route);
    if (route === 'health') return this.health();
    if (route === 'get_positions' && this.hidesLists) return refusal(503, 'account_not_synchronized');
    if (route === 'account' && this.hidesMoney) return refusal(503, 'account_not_synchronized');
    if (this.removed.has(decodeURIComponent(parameter))) return refusal(404, 'not_found');
    if (route === 'trade_requests') return this.request(decodeURIComponent(parameter));
    return readOf(this, url);
  }

  private health(): Answer {
    const isExplained = this.unexplained.length === 0;
    const state = isExplained ? 'explained' : 'unexplained';
    return success({
      status: 'healthy',
      terminal_status: isExplained ? this.session : 'synchronizing',
      account_evidence: { state, since: '2024-01-01T00:00:00Z', explained_at: null, unexplained: this.unexplained },
      differences: this.differences,
      account: this.account['login'],
      account_facts: {
        ...{ server: this.account['server'], currency: this.account['currency'], leverage: 100 },
        ...{ trade_mode: this.account['trade_mode'], margin_mode: this.account['margin_mode'] },
      },
      kill_switch_active: this.killSwitch,
      api_key: this.apiKey,
      journal: this.journalHealth,
    });
  }

  private request(key: string): Answer {
    const known = this.journal.get(key);
    if (!known) return refusal(404, 'not_found');
    const { status: response_status, body: response } = known;
    const answered = response_status === 502 ? 'unknown' : 'completed';
    const status = this.voids.has(key) ? 'void' : answered;
    return success({ key, status, response_status, response });
  }
}
