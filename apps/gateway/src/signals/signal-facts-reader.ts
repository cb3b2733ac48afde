import { Injectable } from '@nestjs/common';
import { netVolume, signedLots } from '@libs/account-evidence';
import { ApiError } from '@libs/envelope';
import { OrderState, OrderType, type TradePosition } from '@libs/terminal-client';
import { LiveOrders } from '../orders/live-orders';
import { MarketReader } from '../orders/market-reader';
import { LivePositions } from '../positions/live-positions';
import { TerminalAccess } from '../terminal/terminal-access';
import { entersLong, entryLevels } from './decide-signal';
import { averageTrueRange } from './signal-levels';
import type { SignalFacts } from './signal-facts';
import { mayEnter, type Signal } from './signal';
import type { SignalSource } from './signal-source';

/** Reads what the decision about an alert needs. */
@Injectable()
export class SignalFactsReader {
  constructor(
    private readonly positions: LivePositions,
    private readonly orders: LiveOrders,
    private readonly market: MarketReader,
    private readonly terminal: TerminalAccess,
  ) {}

  /**
   * @param orders of earlier alerts, null for one that is not known: what they did has to be shown, or this alert would do it again
   * @throws ApiError if something cannot be read; an entry also while the account is not explained
   */
  async read(
    signal: Signal,
    symbol: string,
    source: SignalSource,
    orders: readonly (number | null)[],
  ): Promise<SignalFacts> {
    await this.terminal.connectedTo(source.login);
    for (const order of orders) {
      if (order === null || !(await this.isShown(order, symbol))) throw notShown(order);
    }
    const { info, tick } = await this.market.market(symbol);
    const ofSymbol = (await this.positionsFor(signal)).filter((position) => position.symbol === symbol);
    const positions = ofSymbol.filter(({ magic }) => magic === source.magic);
    const isForeign = !this.terminal.isHedging && ofSymbol.length > positions.length;
    const facts = { info, quote: tick, positions, isForeign, atr: await this.atr(signal, symbol, source) };
    const size = signal.size ?? (signal.verb === 'reverse' ? null : source.size);
    const ofRisk = mayEnter(signal) && size !== null && size.unit !== 'lots';
    return {
      ...facts,
      orders: signal.verb === 'cancel' ? await this.ordersOf(symbol, source) : [],
      moneyDigits: this.terminal.currencyDigits,
      equity: ofRisk ? (await this.terminal.readExplainedAccount()).equity : 0,
      lossOfOneLot: ofRisk ? await this.lossOfOneLot(signal, symbol, facts) : null,
    };
  }

  /** The lists show what an order did if its deals explain the positions that they are of, or it waits, or ended without a deal. */
  private isShown(ticket: number, symbol: string): Promise<boolean> {
    return this.terminal.read(async (terminal) => {
      const deals = await terminal.historyDealsGet({ ticket });
      if (deals.length === 0) {
        if ((await terminal.ordersGet({ ticket })).length > 0) return true;
        const [order] = await terminal.historyOrdersGet({ ticket });
        return order !== undefined && order.state !== OrderState.FILLED && order.state !== OrderState.PARTIAL;
      }
      const positions = await terminal.positionsGet({ symbol });
      for (const identifier of new Set(deals.map(({ position_id }) => position_id))) {
        const lots = netVolume(await terminal.historyDealsGet({ position: identifier }));
        if (!lots.equals(signedLots(positions.find((position) => position.identifier === identifier)))) return false;
      }
      return true;
    });
  }

  private async positionsFor(signal: Signal): Promise<TradePosition[]> {
    if (mayEnter(signal)) {
      await this.terminal.requireExplained();
      return this.positions.all();
    }
    // What was opened since the last look may be missing from the list.
    return shownRows(await this.positions.forExits(await this.terminal.lookAnew()));
  }

  private async ordersOf(symbol: string, { magic }: SignalSource): Promise<number[]> {
    const orders = shownRows(await this.orders.forExits());
    return orders.filter((order) => order.symbol === symbol && order.magic === magic).map(({ ticket }) => ticket);
  }

  private async atr({ sl, tp }: Signal, symbol: string, { atr }: SignalSource): Promise<number | null> {
    if (sl?.unit !== 'atr' && tp?.unit !== 'atr') return null;
    const { timeframe, period } = atr;
    // The forming bar is left out.
    const bars = await this.terminal.read((terminal) => terminal.copyRatesFromPos(symbol, timeframe, 1, period + 1));
    if (bars === null) return null;
    const { length } = bars.close;
    if (length === period + 1) return averageTrueRange(bars);
    // A terminal loads the bars of a symbol when it is first asked for them.
    const text = `the terminal has ${length} of the ${period + 1} bars of ${symbol} that its average true range needs`;
    throw new ApiError('terminal_unavailable', text);
  }

  private async lossOfOneLot(
    signal: Signal,
    symbol: string,
    facts: Pick<SignalFacts, 'quote' | 'info' | 'atr' | 'positions'>,
  ): Promise<number | null> {
    const isBuy = entersLong(signal, facts.positions);
    if (isBuy === null) return null;
    const { price, sl } = entryLevels(signal, isBuy, facts);
    // On the wrong side nothing would be lost, which is no size of a risk.
    if (sl === null || sl <= 0 || (isBuy ? sl >= price : sl <= price)) return null;
    const type = isBuy ? OrderType.BUY : OrderType.SELL;
    const profit = await this.terminal.read((terminal) => terminal.orderCalcProfit(type, symbol, 1, price, sl));
    return profit === null ? null : -profit;
  }
}

/** @param order null if its ticket is not known */
function notShown(order: number | null): ApiError {
  const what = order === null ? 'an order' : `order ${order}`;
  const reason = `${what} of an earlier alert is executed, and no list shows its effect yet`;
  return new ApiError('account_not_synchronized', `the account is not synchronized: ${reason}`);
}

/** @throws ApiError while no row is shown and some may exist */
function shownRows<Row>({ rows, doubt }: { readonly rows: Row[]; readonly doubt: ApiError | null }): Row[] {
  if (doubt !== null && rows.length === 0) throw doubt;
  return rows;
}
