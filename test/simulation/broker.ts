import { ServerClock, Simulator, catalogue, assets } from '@libs/simulator';
import {
  DealType,
  type JournaledRequest,
  PositionType,
  type SendOutcome,
  type TerminalClient,
  TradeAction,
  type TradeOrder,
  type TradeRequest,
} from '@libs/terminal-client';
import { NumberedPrices, tradedSymbols } from './numbered-levels';
import { isEntry, type SendRecord, type Standing } from './sends';
import { nextPriceMs, recordedFeed, type Feed, type Prices } from './recorded-prices';
import type { MoneyNow } from './invariants/daily-loss';
import type { MarginMode } from './steps';
import { InstanceClock, ProgramLife } from './instance-clock';
import type { VirtualTime } from './virtual-time';

export const account = { login: 100_001, password: 'simulator', server: 'Simulator-Demo' } as const;

const serverTimeZone = 'Europe/Athens';
/** As it is while nothing sets it: a gateway that was told the zone goes by it. */
const clockOfZone = new ServerClock(serverTimeZone);

/** Whole seconds of the server's clock at an instant, in UTC milliseconds. */
export function serverSeconds(utcMs: number): number {
  return Math.floor(clockOfZone.serverMs(utcMs) / 1_000);
}

export interface BrokerOptions {
  /** How positions are kept; hedging if absent. */
  readonly marginMode?: MarginMode;
  readonly login?: number;
  /** Where prices come from; generated if absent. */
  readonly prices?: Prices;
  /** What the broker takes of each deal, in the deposit currency for a lot; 0 if absent. */
  readonly commission?: number;
}

/** How long before its send a gateway may have read what a request changes. */
const magicReadBeforeMs = 10_000;

function charging<Spec extends (typeof catalogue)[number]>(spec: Spec, perLot: number): Spec {
  return { ...spec, market: { ...spec.market, commission: { perLot, charged: 'both' } } };
}

/** The simulated broker: it lives on whatever happens to gateways, and its books are read past them. */
export class SimulatedBroker {
  readonly simulator: Simulator;
  private readonly marginMode: MarginMode;
  private readonly login: number;
  private readonly feed: Feed;
  private numbered: NumberedPrices | null = null;
  /** By ticket: the levels of a position or order when a send last concerned it. */
  private readonly left = new Map<number, Standing>();

  constructor(
    time: VirtualTime,
    seed: number,
    { marginMode = 'hedging', login = account.login, prices = 'generated', commission = 0 }: BrokerOptions = {},
  ) {
    this.marginMode = marginMode;
    this.login = login;
    this.feed =
      prices === 'recorded' ? recordedFeed(seed, time.startMs) : { kind: 'generated', seed, assets, historyDays: 3 };
    const clock = new InstanceClock(time, new ProgramLife(), { offMs: 0 });
    this.simulator = new Simulator(
      {
        feed: this.feed,
        speed: 1,
        hours: 'always',
        account: {
          ...account,
          login,
          name: 'Simulated account',
          company: 'Simulated broker',
          currency: 'USD',
          currencyDigits: 2,
          balance: 1_000_000,
          leverage: 100,
          marginMode,
          stopoutMode: 'percent',
          marginCall: 50,
          stopOut: 30,
          limitOrders: 200,
          limitPositions: 0,
          fifoClose: false,
          hedgeProhibited: false,
        },
        serverTimeZone,
        symbols: catalogue.filter(({ name }) => tradedSymbols.includes(name)).map((spec) => charging(spec, commission)),
        pumpMs: 5_000,
      },
      clock,
    );
  }

  /** Opens the account and the market. */
  async start(): Promise<void> {
    await this.simulator.start();
    const { market } = this.simulator.terminal.brokerNow();
    const bids = [...market.symbols.values()].map(
      (symbol) => [symbol.spec.name, market.quote(symbol)?.bid ?? 1] as const,
    );
    this.numbered = new NumberedPrices(new Map(bids));
  }

  /** A symbol has one position. */
  get isNetting(): boolean {
    return this.marginMode === 'netting';
  }

  /** The first price of a symbol at or after an instant, in UTC milliseconds. */
  nextPriceMs(symbol: string, fromMs: number): number {
    return nextPriceMs(this.feed, symbol, fromMs);
  }

  /** A person logs in at the terminal. */
  async logInByHand(): Promise<void> {
    const session = this.simulator.connect();
    await session.connect();
    await session.login({ ...account, login: this.login });
    await session.shutdown();
  }

  /** Prices that say which request set them. @throws Error before the start */
  get prices(): NumberedPrices {
    if (!this.numbered) throw new Error('the broker has not started');
    return this.numbered;
  }

  /** The books at this instant. */
  get book() {
    return this.simulator.terminal.brokerNow().book;
  }

  /** Grows with everything that changes in the books. */
  get version(): number {
    return this.book.revision;
  }

  /** An order, active or done; null when there is none. */
  orderAt(ticket: number): TradeOrder | null {
    const { orders, historyOrders } = this.book;
    return orders.get(ticket) ?? historyOrders.find({ ticket }).at(-1) ?? null;
  }

  /** Milliseconds since the newest thing that the lists show. */
  get newestAgeMs(): number {
    const { positions, orders, historyOrders, deals } = this.book;
    const times = [
      ...[...positions.values()].map(({ time_msc }) => time_msc),
      ...[...orders.values()].map(({ time_setup_msc }) => time_setup_msc),
      historyOrders.last?.time_done_msc ?? 0,
      deals.last?.time_msc ?? 0,
    ];
    return this.simulator.feedStatus().serverMs - Math.max(...times);
  }

  /** Lots of positions and resting orders, of a symbol or of all. */
  openLots(symbol?: string): number {
    const { positions, orders } = this.book;
    const isCounted = (row: { readonly symbol: string }): boolean => symbol === undefined || row.symbol === symbol;
    const held = [...positions.values()].filter(isCounted).reduce((sum, { volume }) => sum + volume, 0);
    return [...orders.values()].filter(isCounted).reduce((sum, { volume_current }) => sum + volume_current, held);
  }

  /**
   * Lots that a send may add to {@link openLots}: on a netting account, what exceeds the opposite position, less what others that
   * are in transit may take of it.
   */
  addedLots(request: TradeRequest, inTransit: readonly TradeRequest[] = []): number {
    if (!isEntry(request)) return 0;
    if (!this.isNetting || request.action !== TradeAction.DEAL) return request.volume;
    const { symbol, type } = request;
    const rivals = inTransit.filter(
      (other) => other.action === TradeAction.DEAL && other.symbol === symbol && other.type === type,
    );
    const taken = rivals.reduce((sum, { volume }) => sum + volume, 0);
    return Math.max(0, request.volume - Math.max(0, this.opposite(request) - taken));
  }

  private opposite({ symbol, type }: TradeRequest): number {
    const against = [...this.book.positions.values()].filter((held) => held.symbol === symbol && held.type !== type);
    return against.reduce((sum, { volume }) => sum + volume, 0);
  }

  /**
   * The magic number of an order, or of the position or order that a request changes, and those that a gateway may have read
   * shortly before: on a netting account an order that increases the position replaces its magic number.
   */
  magicsOf(request: TradeRequest): readonly number[] {
    const { positions, orders, deals } = this.book;
    const held = positions.get(request.position);
    const now = (held ?? orders.get(request.order) ?? request).magic;
    if (!held || !this.isNetting) return [now];
    const sinceMs = this.simulator.feedStatus().serverMs - magicReadBeforeMs;
    const ofPosition = deals.find({ position: held.identifier });
    const first = ofPosition.findLastIndex(({ time_msc }) => time_msc < sinceMs);
    return [now, ...ofPosition.slice(Math.max(0, first)).map(({ magic }) => magic)];
  }

  /** The symbol of a position or an order; null when it is gone. */
  symbolOf(ticket: number): string | null {
    const { positions, orders } = this.book;
    return (positions.get(ticket) ?? orders.get(ticket))?.symbol ?? null;
  }

  /** What the positions of a magic number would bring now, swap included. */
  floatingOf(magic: number): number {
    const { server } = this.simulator.terminal.brokerNow();
    const own = [...this.book.positions.values()].filter((held) => held.magic === magic);
    return own.reduce((sum, held) => sum + server.valuation.floating(held) + held.swap, 0);
  }

  /** The results of two server days, and what is floating now. */
  get money(): MoneyNow {
    const { server } = this.simulator.terminal.brokerNow();
    const { serverMs } = this.simulator.feedStatus();
    const toS = Math.floor(serverMs / 1_000);
    const deals = this.book.deals.find({ from: toS - 2 * 86_400, to: toS + 86_400 });
    const results = deals
      .filter(({ type }) => type === DealType.BUY || type === DealType.SELL)
      .map(({ time_msc: atMs, profit, commission, swap, fee }) => ({ atMs, result: profit + commission + swap + fee }));
    const floating = [...this.book.positions.values()].map((held) => server.valuation.floating(held) + held.swap);
    return { serverMs, results, floating };
  }

  /** What a change would change; null when it is gone. */
  standing({ position, order }: TradeRequest): Standing | null {
    const resting = this.book.orders.get(order);
    if (resting) {
      const { sl, tp, price_open: price, type_time: time, time_expiration: seconds } = resting;
      return { sl, tp, price, expiration: { time, seconds } };
    }
    const held = this.book.positions.get(position);
    return held ? { sl: held.sl, tp: held.tp, isLong: held.type === PositionType.BUY } : null;
  }

  /** What a change would change, or what stood there last when it is gone; null when nothing is known of it. */
  lastStanding(request: TradeRequest): Standing | null {
    return this.standing(request) ?? this.left.get(request.order || request.position) ?? null;
  }

  /** Puts a send before the broker and writes down what it did. */
  async execute(
    session: TerminalClient,
    request: JournaledRequest,
    send: SendRecord,
    nowMs: number,
  ): Promise<SendOutcome> {
    const versionBefore = this.version;
    send.login = this.simulator.terminal.loggedIn;
    send.replaced = this.standing(send.request);
    // It acts before the first turn of its promise, so nothing comes between the two readings.
    const answer = session.orderSend(request);
    const standing = this.standing(send.request) ?? send.replaced;
    if (standing) this.left.set(send.request.order || send.request.position, standing);
    send.fate = this.version === versionBefore ? 'not done' : 'done';
    send.executedAtMs = nowMs;
    const outcome = await answer;
    if (outcome.kind === 'answered') send.retcode = outcome.result.retcode;
    send.isRefused = outcome.kind === 'refused' && send.fate === 'not done';
    return outcome;
  }
}
