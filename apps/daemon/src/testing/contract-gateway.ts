import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  accountFields,
  barRowFields,
  keyedDealRowFields,
  keyedOrderRowFields,
  positionRowFields,
  symbolRowFields,
  tickRowFields,
  type Fields,
} from '@libs/records';
import {
  AccountMarginMode,
  AccountTradeMode,
  DealEntry,
  OrderState,
  PositionType,
  Retcode,
  SymbolTradeMode,
  TradeReason,
} from '@libs/trade-constants';
import { heldBack } from './real-work';

type Row = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly body: object;
}
/** What goes wrong with the next request to a route: before the broker acts, or after it did. */
export type Fault = 'lost-before' | 'lost-after' | 'unknown-before' | 'unknown-after';

/**
 * The gateway's contract over a real socket, with as much of a broker behind it as the daemon's own tests need: market
 * orders at one price, closes at another, durable keys. Its faults are the point of it.
 */
export class ContractGateway {
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
  readonly positions: Row[] = [];
  readonly deals: Row[] = [];
  /** Orders that came into the market, done. */
  readonly pastOrders: Row[] = [];
  /** The bars of every symbol and timeframe that has none of its own. */
  readonly bars: Row[] = [];
  /** Bars of their own, by `EURUSD@M5`. */
  readonly ownBars = new Map<string, Row[]>();
  /** The ticks of every symbol. */
  readonly ticks: Row[] = [];
  /** What every symbol is specified as. */
  readonly symbol: Row = {
    ...{ digits: 5, point: 0.00001, trade_tick_size: 0.00001, trade_tick_value: 1, trade_contract_size: 100_000 },
    ...{ volume_min: 0.01, volume_max: 100, volume_step: 0.01, trade_stops_level: 10 },
    trade_mode: SymbolTradeMode.FULL,
  };
  /** The quote of every symbol. */
  readonly tick: Row = { time_msc: 0, time_utc: '2024-01-01T00:00:00Z', bid: 1.1, ask: 1.1001 };
  /** Every trade request in the order it arrived, with its key. */
  /** The header of each send. */
  readonly traceparents: string[] = [];
  readonly sends: { readonly path: string; readonly key: string; readonly body: Row }[] = [];
  /** Faults by route, each good for one request. */
  readonly faults: { readonly path: string; readonly fault: Fault }[] = [];
  /** Requests that the broker rejects: route, return code, and how many. */
  refusal: { readonly path: string; readonly retcode: number; times: number } | null = null;
  /** How many of the next closes the broker accepts without a fill (10008). */
  closesToAccept = 0;
  /** While set, every route answers this. */
  always: Answer | null = null;
  killSwitch = false;
  /** Token below which a request that names a fence is refused. */
  fence = 0;
  /** What the daemon's key permits. */
  apiKey: 'full' | 'read_only' = 'full';
  /** Answers an order without its ticket. */
  namesNoOrder = false;
  /** While true, the history is empty: the deals lag behind the rows. */
  hidesDeals = false;
  /** Runs before a read is answered, with the first part of its path. */
  onRead: (route: string) => void = () => undefined;
  /** A read is not answered before this is done. */
  beforeAnswer: (url: URL) => Promise<void> = () => Promise.resolve();
  /** Result of the next close, in money. */
  nextProfit = 12.34;
  /** While true, no key can be made void. */
  refusesVoid = false;
  /** The keys that were made void. */
  readonly voids = new Set<string>();
  /** Runs after a key was made void, before the answer. */
  onVoid: () => void = () => undefined;
  /** A route whose requests have an outcome that cannot be found out. */
  undecidable: string | null = null;
  /** The journal as `/health` reports it. */
  journalHealth = { id: 'journal-1', state: 'ok', reason: null as string | null, sequence: 1 };
  private readonly journal = new Map<string, Answer>();
  private readonly server: Server;
  private tickets = 1_000;
  /** Fills the close that the broker accepted last. */
  private fillLast: () => void = () => undefined;

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
    for (const row of [...this.positions, ...this.pastOrders, ...this.deals]) row['client_order_id'] = null;
    return () => {
      this.journalHealth = journalHealth;
      lost.forEach((answer, key) => this.journal.set(key, answer));
      lostVoids.forEach((key) => this.voids.add(key));
    };
  }

  /** The outcome under a key was found out: done. */
  find(key: string): void {
    this.journal.set(key, { status: 200, body: { ok: true, message: 'done', result: { retcode: Retcode.DONE } } });
  }

  /** Closes a position at the broker: by stop-loss, or manually. */
  closeAtBroker(ticket: number, reason: number, profit: number): void {
    const index = this.positions.findIndex((row) => row['ticket'] === ticket);
    const [position] = this.positions.splice(index, 1);
    if (position) this.book(position, 1, Number(position['volume']), profit, { reason, key: null });
  }

  /** A position the daemon never asked for. */
  openAtBroker(magic: number, volume = 0.1): number {
    return this.open({ symbol: 'EURUSD', volume, type: 'BUY', magic }, null, 0);
  }

  /** The close that the broker accepted last is filled. */
  fillAccepted(): void {
    this.fillLast();
  }

  private barsOf(query: URLSearchParams): readonly Row[] {
    return this.ownBars.get(`${query.get('symbol')}@${query.get('timeframe')}`) ?? this.bars;
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
    if (request.method === 'GET') return this.read(url);
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
    if (path === '/order') {
      if (Number(body['volume']) > 50) return refusal(422, 'broker_rejected', Retcode.NO_MONEY);
      const order = this.open(body, key, TradeReason.EXPERT);
      return {
        status: 200,
        body: {
          ...{ ok: true, message: 'done', state: 'executed' },
          result: { retcode: Retcode.DONE, ...(this.namesNoOrder ? {} : { order, deal: order + 1 }) },
        },
      };
    }
    const reference = body['position'] as { ticket: number; volume?: number } | number;
    const ticket = typeof reference === 'number' ? reference : reference.ticket;
    const position = this.positions.find((row) => row['ticket'] === ticket);
    if (!position) return refusal(404, 'not_found');
    if (path === '/modify_sl_tp') {
      Object.assign(position, { sl: body['sl'] ?? position['sl'], tp: body['tp'] ?? position['tp'] });
      return { status: 200, body: { ok: true, message: 'modified', result: { retcode: Retcode.DONE } } };
    }
    const held = Number(position['volume']);
    const volume = typeof reference === 'number' ? held : (reference.volume ?? held);
    if (this.closesToAccept-- > 0) {
      const order = ++this.tickets;
      this.fillLast = () => void this.fillClose(position, volume, key, order);
      const result = { retcode: Retcode.PLACED, order };
      return { status: 200, body: { ok: true, message: 'accepted', state: 'placed', closed_volume: 0, result } };
    }
    const order = this.fillClose(position, volume, key);
    return { status: 200, body: { ok: true, message: 'closed', result: { retcode: Retcode.DONE, order } } };
  }

  private fillClose(position: Row, volume: number, key: string, order = ++this.tickets): number {
    this.book(position, DealEntry.OUT, volume, this.nextProfit, { reason: TradeReason.EXPERT, key, order });
    position['volume'] = Number((Number(position['volume']) - volume).toFixed(2));
    if (position['volume'] === 0) this.positions.splice(this.positions.indexOf(position), 1);
    return order;
  }

  private open(body: Row, key: string | null, reason: number): number {
    const ticket = ++this.tickets;
    const position: Row = {
      ...{
        ticket,
        identifier: ticket,
        magic: body['magic'],
        symbol: body['symbol'],
        volume: body['volume'],
        sl: body['sl'] ?? 0,
        tp: body['tp'] ?? 0,
      },
      ...{
        type: body['type'] === 'SELL' ? PositionType.SELL : PositionType.BUY,
        price_open: 1.1,
        price_current: 1.1,
        swap: 0,
        profit: 0.5,
        time_msc: 0,
      },
      ...{ time_utc: '2024-01-01T00:00:00Z', comment: '', client_order_id: key },
    };
    this.positions.push(position);
    this.book(position, DealEntry.IN, Number(body['volume']), 0, { reason, key, order: ticket });
    return ticket;
  }

  private book(
    position: Row,
    entry: number,
    volume: number,
    profit: number,
    { reason, key, order = ++this.tickets }: { reason: number; key: string | null; order?: number },
  ): number {
    const type = entry === DealEntry.IN ? position['type'] : 1 - Number(position['type']);
    this.pastOrders.push({
      ...{
        ticket: order,
        position_id: position['ticket'],
        state: OrderState.FILLED,
        type,
        volume_initial: volume,
        volume_current: 0,
      },
      ...{ symbol: position['symbol'], magic: position['magic'], reason, client_order_id: key },
      ...{ time_setup_utc: '2024-01-01T00:00:00Z' },
    });
    this.deals.push({
      ...{ ticket: ++this.tickets, order, type, entry },
      ...{
        magic: position['magic'],
        position_id: position['ticket'],
        reason,
        volume,
        price: entry === DealEntry.IN ? 1.1 : 1.2,
      },
      ...{ commission: -0.35, swap: entry === DealEntry.IN ? 0 : -0.01, profit, fee: 0, symbol: position['symbol'] },
      ...{ time_msc: this.deals.length, time_utc: '2024-01-01T00:00:00Z', comment: '', client_order_id: key },
    });
    return order;
  }

  private read(url: URL): Answer {
    const data = (fields: Fields, rows: readonly Row[]): Answer => ({
      status: 200,
      body: { ok: true, data: rows.map((row) => whole(fields, row)), total: rows.length },
    });
    const [, route = '', parameter = ''] = url.pathname.split('/');
    this.onRead(route);
    switch (route) {
      case 'health':
        return {
          status: 200,
          body: {
            ok: true,
            status: 'healthy',
            terminal_status: 'connected',
            account: this.account['login'],
            kill_switch_active: this.killSwitch,
            api_key: this.apiKey,
            journal: this.journalHealth,
          },
        };
      case 'account':
        return { status: 200, body: { ok: true, ...whole(accountFields, this.account) } };
      case 'get_positions':
        return data(positionRowFields, this.positions);
      case 'orders':
        return data(keyedOrderRowFields, []);
      case 'history_deals_get':
        return data(
          keyedDealRowFields,
          this.deals.filter(
            ({ position_id }) => !this.hidesDeals && String(position_id) === url.searchParams.get('position'),
          ),
        );
      case 'history_deals_range':
        return data(
          keyedDealRowFields,
          this.hidesDeals ? [] : spanOf(this.deals, 'time_utc', url.searchParams, 'from_date', 'to_date'),
        );
      case 'history_orders_get':
        return data(keyedOrderRowFields, this.pastOrders);
      case 'get_order_from_ticket': {
        const order = this.pastOrders.find((row) => String(row['ticket']) === url.searchParams.get('ticket'));
        return order
          ? { status: 200, body: { ok: true, ...whole(keyedOrderRowFields, order) } }
          : refusal(404, 'not_found');
      }
      case 'symbol_info':
        return { status: 200, body: { ok: true, ...whole(symbolRowFields, { ...this.symbol, name: parameter }) } };
      case 'symbol_info_tick':
        return { status: 200, body: { ok: true, ...whole(tickRowFields, this.tick) } };
      case 'fetch_data_pos':
        return data(barRowFields, this.barsOf(url.searchParams).slice(-Number(url.searchParams.get('num_bars'))));
      case 'fetch_data_range':
        return data(barRowFields, spanOf(this.barsOf(url.searchParams), 'time', url.searchParams, 'start', 'end'));
      case 'copy_ticks_range':
        return data(tickRowFields, spanOf(this.ticks, 'time_utc', url.searchParams, 'from_date', 'to_date'));
      case 'reconcile':
        return {
          status: 200,
          body: {
            ok: true,
            as_of: '2024-01-01T00:00:00Z',
            positions: this.positions.map((row) => whole(positionRowFields, row)),
            orders: [],
            deals: this.deals.map((row) => whole(keyedDealRowFields, row)),
            unresolved: [],
            differences: [],
          },
        };
      case 'trade_requests': {
        const known = this.journal.get(decodeURIComponent(parameter));
        if (!known) return refusal(404, 'not_found');
        const { status: response_status, body: response } = known;
        const answered = response_status === 502 ? 'unknown' : 'completed';
        const status = this.voids.has(decodeURIComponent(parameter)) ? 'void' : answered;
        return { status: 200, body: { ok: true, key: parameter, status, response_status, response } };
      }
      default:
        return refusal(404, 'not_found');
    }
  }
}

/** The rows of a span; one without a time in UTC is in each. */
function spanOf(
  rows: readonly Row[],
  member: 'time' | 'time_utc',
  query: URLSearchParams,
  begin: string,
  end: string,
): readonly Row[] {
  const [from, to] = [query.get(begin) ?? '', query.get(end) ?? '9'];
  return rows.filter(({ [member]: time }) => typeof time !== 'string' || (time >= from && time <= to));
}

const zeros = { integer: 0, number: 0, string: '', boolean: false } as const;

/** All members of the record: one that the row leaves out is zero, empty or false, or null where that is possible. */
function whole(fields: Fields, row: Row): Row {
  const blank: Row = {};
  for (const [name, { type, nullable }] of Object.entries(fields)) blank[name] = nullable ? null : zeros[type];
  return { ...blank, ...row };
}

function refusal(status: number, error_type: string, retcode?: number): Answer {
  const terminal_error =
    retcode === undefined ? {} : { terminal_error: { retcode, retcode_name: 'NAME', comment: '' } };
  return { status, body: { ok: false, error: error_type, error_type, request_id: 'r', ...terminal_error } };
}
