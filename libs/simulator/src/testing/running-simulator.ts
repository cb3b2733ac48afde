import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import {
  OrderFilling,
  type OrderSendResult,
  OrderType,
  PositionType,
  type TerminalClient,
  TradeAction,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
  type TradeRequest,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { Simulator } from '../simulator';
import type { AccountOptions, ScriptedQuote, SimulatorOptions } from '../simulator-options';
import { simulatorOptions, simulatorSettings } from '../simulator.config';
import { catalogue } from '../symbols/catalogue';
import type { HistoryDisk } from '../trading/history-disk';
import type { SymbolMarket, SymbolSpec } from '../symbols/symbol-spec';

/** Tuesday, 14 May 2024, 10:00 UTC: 13:00 on the server's clock. */
export const TUESDAY = Date.UTC(2024, 4, 14, 10);

type Changes = Partial<Omit<SimulatorOptions, 'account'>> & { readonly account?: Partial<AccountOptions> };

/** The options of an environment without settings, with some changed, and no timers of its own. */
export function testOptions({ account, ...changes }: Changes = {}): SimulatorOptions {
  const defaults = simulatorOptions(readSettings(simulatorSettings, {}));
  return { ...defaults, pumpMs: 0, ...changes, account: { ...defaults.account, ...account } };
}

/** A catalogue symbol with some fields changed. */
export function symbolLike(
  name: string,
  changes: Partial<Omit<SymbolSpec, 'market'>> & { readonly market?: Partial<SymbolMarket> },
): SymbolSpec {
  const model = catalogue.find((spec) => spec.name === name);
  if (!model) throw new Error(`no ${name} in the catalogue`);
  return { ...model, ...changes, market: { ...model.market, ...changes.market } };
}

/** A simulator that runs, with a session that is logged in. */
export class RunningSimulator {
  private sends = 0;

  private constructor(
    readonly simulator: Simulator,
    readonly client: TerminalClient,
    readonly clock: VirtualClock,
  ) {}

  static async start(
    changes: Changes = {},
    startMs = TUESDAY,
    disk: HistoryDisk | null = null,
  ): Promise<RunningSimulator> {
    const clock = new VirtualClock(startMs);
    const simulator = new Simulator(testOptions(changes), clock, disk);
    await simulator.start();
    simulator.loginByHand();
    const client = simulator.connect();
    await client.connect();
    return new RunningSimulator(simulator, client, clock);
  }

  /** EURUSD by a script (milliseconds after the start, bid, ask), and whatever else is changed. */
  static scripted(eurusd: readonly ScriptedQuote[], changes: Changes = {}): Promise<RunningSimulator> {
    return RunningSimulator.start({ feed: { kind: 'scripted', quotes: { EURUSD: eurusd } }, ...changes });
  }

  /** Sends a request and expects the server's own answer. */
  async send(fields: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): Promise<OrderSendResult> {
    const outcome = await this.client.orderSend(sealRequest(`test-${this.sends++}`, tradeRequest(fields)));
    if (outcome.kind !== 'answered') throw new Error(`the send was ${outcome.kind}`);
    return outcome.result;
  }

  buy(volume: number, fields: Partial<TradeRequest> = {}): Promise<OrderSendResult> {
    return this.send({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume, ...fields });
  }

  sell(volume: number, fields: Partial<TradeRequest> = {}): Promise<OrderSendResult> {
    return this.send({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.SELL, volume, ...fields });
  }

  /** Places a pending order, by default one that returns and stays until cancelled. */
  place(type: number, price: number, fields: Partial<TradeRequest> = {}): Promise<OrderSendResult> {
    const action = TradeAction.PENDING;
    return this.send({
      action,
      symbol: 'EURUSD',
      type,
      volume: 0.1,
      price,
      type_filling: OrderFilling.RETURN,
      ...fields,
    });
  }

  /** Closes a position, or a part of it, at the market. */
  async close(position: TradePosition, volume = position.volume): Promise<OrderSendResult> {
    const { symbol, ticket } = position;
    const type = position.type === PositionType.BUY ? OrderType.SELL : OrderType.BUY;
    return this.send({ action: TradeAction.DEAL, symbol, type, volume, position: ticket });
  }

  /** The one position there is. */
  async position(): Promise<TradePosition> {
    const [position, ...others] = await this.client.positionsGet();
    if (!position || others.length > 0) throw new Error('there is not exactly one position');
    return position;
  }

  /** All deals but the opening deposit. */
  async deals(): Promise<TradeDeal[]> {
    return (await this.client.historyDealsGet({ from: 0, to: 1e11 })).slice(1);
  }

  historyOrders(): Promise<TradeOrder[]> {
    return this.client.historyOrdersGet({ from: 0, to: 1e11 });
  }

  async balance(): Promise<number> {
    return (await this.client.accountInfo())?.balance ?? Number.NaN;
  }
}
