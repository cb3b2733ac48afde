import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { Decimal } from 'decimal.js';
import {
  AccountMarginMode,
  DealType,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalAccess } from '../terminal/terminal-access';

const dayS = 86_400;
/** Reads of the deals until two in a row agree. */
const dealReads = 4;

/** The account as the limits on entries need it; what was not asked for is empty or null. */
export interface AccountView {
  readonly isNetting: boolean;
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
  /** Of the order tickets that were asked about, those that are in the history. */
  readonly historyTickets: ReadonlySet<number>;
  /** Loss of the broker's day in the account currency, closed and floating; negative is a profit. */
  readonly dailyLoss: number | null;
}

export interface ViewNeeds {
  readonly volumes: boolean;
  readonly dailyLoss: boolean;
  /** Order tickets to look up in the history. */
  readonly tickets: readonly number[];
}

/** Balance operations, credits and bonuses move the balance, but are not the result of a trade. */
const notResults: readonly number[] = [DealType.BALANCE, DealType.CREDIT, DealType.CORRECTION, DealType.BONUS];

/** Reads the account for the limits on entries. */
@Injectable()
export class AccountViewReader {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly clock: BrokerClock,
  ) {}

  /**
   * Reads everything that is needed. An order goes from the pending ones to the positions and the history, never back:
   * the lists are read so that it cannot slip through between two reads.
   * @throws ApiError terminal_unavailable, reconnect_cooldown or server_time_unavailable when a part cannot be read
   */
  read(needs: ViewNeeds): Promise<AccountView> {
    return this.terminal.read(async (terminal) => {
      const account = await terminal.accountInfo();
      if (!account) throw new ApiError('terminal_unavailable', 'the terminal is not logged in to an account');
      const historyTickets = await this.historyTickets(terminal, needs.tickets);
      const orders = needs.volumes ? await terminal.ordersGet() : [];
      const [positions, dailyLoss] = needs.dailyLoss
        ? await this.positionsAndLoss(terminal)
        : [await terminal.positionsGet(), null];
      const isNetting = account.margin_mode !== AccountMarginMode.RETAIL_HEDGING;
      return { isNetting, positions, orders, historyTickets, dailyLoss };
    });
  }

  private async historyTickets(terminal: TerminalClient, tickets: readonly number[]): Promise<Set<number>> {
    const found = new Set<number>();
    for (const ticket of tickets) {
      if (ticket === 0 || (await terminal.historyOrdersGet({ ticket })).length > 0) found.add(ticket);
    }
    return found;
  }

  /** A position that closes between the two reads would be in both or in neither: then they are read again. */
  private async positionsAndLoss(terminal: TerminalClient): Promise<readonly [TradePosition[], number]> {
    let deals = await this.dealsOfDay(terminal);
    for (let read = 2; read <= dealReads; read++) {
      const positions = await terminal.positionsGet();
      const again = await this.dealsOfDay(terminal);
      if (again.length === deals.length) return [positions, lossOf(again, positions)];
      deals = again;
    }
    throw new ApiError('terminal_unavailable', 'the deals of the day change faster than they can be read');
  }

  private async dealsOfDay(terminal: TerminalClient): Promise<TradeDeal[]> {
    const nowS = this.serverTime.toServerSeconds(this.clock.nowMs());
    if (nowS === null) {
      throw new ApiError('server_time_unavailable', "the broker's day is unknown while its server time is unknown", {
        details: { reason: 'unknown' },
      });
    }
    const from = Math.floor(nowS / dayS) * dayS;
    const deals = await terminal.historyDealsGet({ from, to: from + 2 * dayS });
    return deals.filter(({ time, type }) => time >= from && !notResults.includes(type));
  }
}

function lossOf(deals: readonly TradeDeal[], positions: readonly TradePosition[]): number {
  const closed = deals.flatMap(({ profit, commission, swap, fee }) => [profit, commission, swap, fee]);
  const floating = positions.flatMap(({ profit, swap }) => [profit, swap]);
  const result = Decimal.sum(0, ...closed, ...floating).negated();
  if (!result.isFinite()) throw new ApiError('terminal_unavailable', 'the terminal knows no result of a position');
  // 0 - 0 is -0 in floating point, which would be printed as such.
  return result.toDecimalPlaces(8).plus(0).toNumber() || 0;
}
