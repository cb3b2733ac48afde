import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { dayReadUntilS, dayStartS, lossOfDay, resultsOfDay } from '@libs/order-drafts';
import { AccountMarginMode, type TerminalClient, type TradeDeal, type TradePosition } from '@libs/terminal-client';
import type { EntryView } from '../trade-core/counted-entries';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalAccess } from '../terminal/terminal-access';

/** Reads of the deals until two in a row agree. */
const dealReads = 4;

export interface ViewNeeds {
  readonly volumes: boolean;
  readonly dailyLoss: boolean;
  /** Order tickets to look up in the history. */
  readonly tickets: readonly number[];
}

/** Reads the account for the entry limits. */
@Injectable()
export class AccountViewReader {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly clock: BrokerClock,
  ) {}

  /**
   * Reads everything that is needed; parts that were not requested are empty or null. An order moves from the pending list to positions and history, never back, so the
   * order of the reads ensures that none is missed between two of them.
   * @throws ApiError terminal_unavailable, reconnect_cooldown or server_time_unavailable if a part cannot be read
   */
  read(needs: ViewNeeds): Promise<EntryView> {
    return this.terminal.read(async (terminal) => {
      const account = await this.terminal.readAccount();
      const historyTickets = await this.historyTickets(terminal, needs.tickets);
      const orders = needs.volumes ? await terminal.ordersGet() : [];
      const [positions, dailyLoss] = needs.dailyLoss
        ? await this.positionsAndLoss(terminal)
        : [await terminal.positionsGet(), null];
      const isNetting = account.margin_mode !== AccountMarginMode.RETAIL_HEDGING;
      return {
        isNetting,
        positions: positions.map(facts),
        orders: orders.map(({ ticket, symbol, volume_current }) => ({ ticket, symbol, volume_current })),
        historyTickets,
        dailyLoss,
        currencyDigits: account.currency_digits,
      };
    });
  }

  private async historyTickets(terminal: TerminalClient, tickets: readonly number[]): Promise<number[]> {
    const found: number[] = [];
    for (const ticket of tickets) {
      if (ticket === 0 || (await terminal.historyOrdersGet({ ticket })).length > 0) found.push(ticket);
    }
    return found;
  }

  /** A position that closes between the two reads would be in both or in neither, so they are repeated. */
  private async positionsAndLoss(terminal: TerminalClient): Promise<readonly [TradePosition[], number]> {
    let deals = await this.dealsOfDay(terminal);
    for (let read = 2; read <= dealReads; read++) {
      const positions = await terminal.positionsGet();
      const again = await this.dealsOfDay(terminal);
      if (again.length === deals.length) return [positions, requireLoss(again, positions)];
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
    const from = dayStartS(nowS);
    return resultsOfDay(await terminal.historyDealsGet({ from, to: dayReadUntilS(from) }), from);
  }
}

/** @throws ApiError terminal_unavailable if a result is unknown */
function requireLoss(deals: readonly TradeDeal[], positions: readonly TradePosition[]): number {
  const loss = lossOfDay(deals, positions);
  if (loss === null) throw new ApiError('terminal_unavailable', 'the terminal reports no profit for a position');
  return loss;
}

function facts({ ticket, identifier, symbol, type, volume }: TradePosition): EntryView['positions'][number] {
  return { ticket, identifier, symbol, type, volume };
}
