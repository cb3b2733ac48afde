import { VirtualClock } from '@libs/clock';
import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import { readSettings } from '@libs/settings';
import {
  catalogue,
  Simulator,
  simulatorOptions,
  simulatorSettings,
  type MarginModeName,
  type ScriptedQuote,
  type SymbolSpec,
} from '@libs/simulator';
import {
  DealType,
  FillingFlag,
  Retcode,
  SymbolExecution,
  TradeAction,
  tradeRequest,
  type TerminalClient,
  type TradeDeal,
  type TradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import type { Fill, OrderGone } from '@libs/strategy';
import { type Change, type IntentRecord, type OwnedTicket, type StrategyRecord, blankRecord } from '../../core/records';
import { AccountRows } from '../../core/account-rows';
import type { CoreEffect } from '../../core/core-effect';
import type { CoreEventBody } from '../../core/core-event';
import { startOf, type CoreSnapshot } from '../../core/core-state';
import { StrategyCore } from '../../core/strategy-core';
import { Settlement, type BrokerReads, type Settled } from '../../live/settlement';
import type { StrategyBook } from '../../core/strategy-book';
import { ticketKey } from '../../core/ledger';
import { spec } from '../../core/testing/spec';

const broker = 'demo';
const journals = { [broker]: 'A' };
type State = 'placed' | 'executed' | 'partially_executed';
const states: Readonly<Record<number, State>> = {
  [Retcode.PLACED]: 'placed',
  [Retcode.DONE]: 'executed',
  [Retcode.DONE_PARTIAL]: 'partially_executed',
};

/** The answer to an order that was not refused. */
interface Sent {
  readonly order: number;
  readonly state: State;
}

/** A read that was made to fail. */
export class ReadFailed extends Error {}

/**
 * One strategy's book over the simulated broker itself, without the ways between: its orders are claimed as the desk claims
 * them, its snapshots can be made to fail midway, and it can be started again from its durable state.
 */
export class BookWorld implements Settled, BrokerReads {
  readonly fills: Fill[] = [];
  readonly gone: OrderGone[] = [];
  readonly foreign: number[] = [];
  /** Another one after a restart. */
  private core = new StrategyCore(beginning(blankRecord(spec.name), []));
  /** Market time that passes before each read of a look. */
  pauseMs = 0;
  /** Reads that succeed before one fails; null while all do. */
  readsLeft: number | null = null;
  private strategy: StrategyRecord = blankRecord(spec.name);
  private readonly tickets = new Map<string, OwnedTicket>();
  private readonly settlement: Settlement;
  /** Orders whose answer is on its way. */
  private readonly unclaimed: Sent[] = [];
  private sends = 0;

  private constructor(
    readonly simulator: Simulator,
    readonly terminal: TerminalClient,
    readonly clock: VirtualClock,
    marginMode: MarginModeName,
  ) {
    this.settlement = new Settlement(
      { name: broker, reads: this, isHedging: () => marginMode === 'hedging' },
      {
        ownerOf: (_, ticket) => this.tickets.get(ticketKey(broker, ticket))?.strategy ?? null,
      },
    );
  }

  /** EURUSD by a script, a third of a lot of it at each quote, and every filling policy. */
  static async start(
    marginMode: MarginModeName,
    quotes: readonly ScriptedQuote[],
    changes: Partial<SymbolSpec> = {},
  ): Promise<BookWorld> {
    const defaults = simulatorOptions(readSettings(simulatorSettings, {}));
    const clock = new VirtualClock(Date.UTC(2024, 4, 14, 10));
    const symbols = catalogue.map((symbol) =>
      symbol.name === 'EURUSD'
        ? {
            ...symbol,
            trade_exemode: SymbolExecution.EXCHANGE,
            filling_mode: FillingFlag.FOK | FillingFlag.IOC,
            market: { ...symbol.market, depth: 0.3 },
            ...changes,
          }
        : symbol,
    );
    const account = { ...defaults.account, marginMode, balance: 1_000_000 };
    const feed = { kind: 'scripted', quotes: { EURUSD: quotes } } as const;
    const simulator = new Simulator({ ...defaults, account, symbols, feed, pumpMs: 0 }, clock);
    await simulator.start();
    simulator.loginByHand();
    const terminal = simulator.connect();
    await terminal.connect();
    return new BookWorld(simulator, terminal, clock, marginMode);
  }

  pass(ms: number): void {
    this.clock.advanceSync(ms);
  }

  /** Sends a request of any strategy. @returns the content of its answer, or null if it was refused */
  async send(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): Promise<Sent | null> {
    const request = tradeRequest({ symbol: 'EURUSD', magic: spec.magic, deviation: 1_000, ...fields });
    const outcome = await this.terminal.orderSend(sealRequest(`w-${++this.sends}`, request));
    if (outcome.kind !== 'answered') throw new Error(`the send was ${outcome.kind}`);
    const { retcode, order } = outcome.result;
    const state = fields.action === TradeAction.PENDING ? 'placed' : states[retcode];
    return state === undefined || retcode > Retcode.DONE_PARTIAL ? null : { order, state };
  }

  get book(): StrategyBook {
    return this.core.state.book;
  }

  /** Sends an order of the strategy's, whose answer is on its way until it is claimed. */
  async order(fields: Parameters<BookWorld['send']>[0]): Promise<void> {
    const sent = await this.send(fields);
    if (!sent) return;
    this.unclaimed.push(sent);
    this.deliver({ type: 'taken up', records: [recordOf(sent)] });
  }

  /** Has the oldest answer come: its order is the strategy's own. @returns its ticket */
  claim(): number | null {
    const sent = this.unclaimed.shift();
    if (!sent) return null;
    const { order, state } = sent;
    const { key } = recordOf(sent);
    const response = { ok: true, result: { order }, state };
    this.deliver({ type: 'request', key, event: { type: 'journal', journal: { id: 'A', state: 'ok' } } });
    const report = { status: 'completed', response_status: 200, response } as const;
    this.deliver({ type: 'request', key, event: { type: 'reported', report } });
    return order;
  }

  /** Takes a snapshot of the account. False if a read failed. */
  async look(): Promise<boolean> {
    try {
      const orders = (await this.read(() => this.terminal.ordersGet())).map((row): OrderRecord => {
        return { ...row, client_order_id: null };
      });
      const positions = (await this.read(() => this.terminal.positionsGet())).map((row): PositionRecord => {
        return { ...row, time_utc: null, client_order_id: null };
      });
      const rows = new AccountRows(positions, this.book.hasWorkingOrders(broker) ? orders : []);
      this.deliver({ type: 'rows', broker, rows });
      await this.settlement.settle(this);
      return true;
    } catch (error) {
      if (error instanceof ReadFailed) return false;
      throw error;
    } finally {
      this.readsLeft = null;
    }
  }

  /** Ends the daemon and starts it again: only what was made durable is left. */
  restart(): void {
    const open = [...this.tickets.values()].filter(({ closed }) => !closed);
    this.core = new StrategyCore(beginning(this.strategy, open));
    this.deliver({ type: 'taken up', records: this.unclaimed.map(recordOf) });
  }

  /** Every deal of the account, the opening balance left out. */
  async deals(): Promise<TradeDeal[]> {
    return (await this.terminal.historyDealsGet({ from: 0, to: 1e11 })).filter(
      ({ type }) => type === DealType.BUY || type === DealType.SELL,
    );
  }

  dealsOfPosition(position: number): Promise<readonly DealRecord[]> {
    return this.read(async () => {
      const deals = await this.terminal.historyDealsGet({ position });
      return deals.map((row) => ({ ...row, time_utc: null, client_order_id: null }));
    });
  }

  orderFromTicket(ticket: number): ReturnType<BrokerReads['orderFromTicket']> {
    return this.read(async () => {
      const [pending] = await this.terminal.ordersGet({ ticket });
      return pending ?? (await this.terminal.historyOrdersGet({ ticket }))[0] ?? null;
    });
  }

  handle(event: CoreEventBody): readonly CoreEffect[] {
    const effects: CoreEffect[] = [];
    const nowMs = this.clock.nowMs();
    this.core.handle({ ...event, at: { nowMs, monotonicMs: nowMs, isStopping: false, journals } }, effects);
    return effects;
  }

  perform(effect: CoreEffect): void {
    switch (effect.type) {
      case 'persist':
        this.commit(effect.change);
        if (effect.key !== null) this.deliver({ type: 'persisted', n: effect.n, isDurable: true });
        return;
      case 'find order':
        return this.deliver({ type: 'order found', key: effect.key, order: effect.order, remembered: null });
      case 'ask':
        if (effect.effect.type === 'show') this.deliver({ type: 'request', key: effect.key, event: { type: 'seen' } });
        return;
      case 'filled':
        return void this.fills.push(...effect.fills);
      case 'gone':
        return void this.gone.push(effect.gone);
      case 'halted':
        return this.noteForeign(effect.halt.reason);
      case 'warn':
        return this.noteForeign(effect.reason);
      default:
        return;
    }
  }

  private deliver(event: CoreEventBody): void {
    for (const effect of this.handle(event)) this.perform(effect);
  }

  private noteForeign(reason: string): void {
    const [, position] = /filled into position (\d+)/.exec(reason) ?? [];
    this.foreign.push(Number(position));
  }

  private commit(change: Change): void {
    if (change.strategy) this.strategy = change.strategy;
    for (const owned of change.tickets ?? []) this.tickets.set(ticketKey(broker, owned.ticket), owned);
  }

  private async read<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    if (this.pauseMs > 0) this.pass(this.pauseMs);
    if (this.readsLeft !== null && this.readsLeft-- <= 0) throw new ReadFailed('made to fail');
    return answer();
  }
}

function beginning(record: StrategyRecord, tickets: readonly OwnedTicket[]): CoreSnapshot {
  return startOf({ spec, record, tickets, stacks: [], kept: null });
}

function recordOf({ order }: Sent): IntentRecord {
  return {
    ...{ key: `k${order}`, strategy: spec.name, broker, intentId: `i${order}`, stream: 'eur', symbol: 'EURUSD' },
    ...{ ticket: null, call: { method: 'POST', path: '/order', body: {} }, isEntry: true, createdAtMs: 0 },
    ...{ state: 'open', outcome: null },
  };
}
