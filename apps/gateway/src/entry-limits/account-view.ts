import { Injectable } from '@nestjs/common';
import { Decimal } from 'decimal.js';
import { isReduced, lostPosition, netVolume, signedLots, type Unexplained } from '@libs/account-evidence';
import { ApiError } from '@libs/envelope';
import { dayReadUntilS, dayStartS, lossOfDay, resultsOfDay } from '@libs/order-drafts';
import {
  AccountMarginMode,
  OrderState,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { notSynchronized } from '../account-evidence/not-synchronized.error';
import { listsShow, type EntryView, type ExecutedOrder } from '../trade-core/counted-entries';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalAccess } from '../terminal/terminal-access';

/** Reads of the deals until two in a row agree. */
const dealReads = 4;

export interface ViewNeeds {
  readonly volumes: boolean;
  readonly dailyLoss: boolean;
  /** Executed orders, to find out whether the lists show what they have done. */
  readonly executed: readonly ExecutedOrder[];
}

interface Lists {
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
}

/** The lists of an earlier view. */
interface ListsBefore extends Lists {
  /** How often the account was looked at when they had been read. */
  readonly looks: number;
}

const noLists: Lists = { positions: [], orders: [] };

/** Reads the account for the entry limits. */
@Injectable()
export class AccountViewReader {
  /** Of the last view for a limit on volumes or on the loss of a day. Views are read one at a time. */
  private before: ListsBefore | null = null;

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly evidence: AccountEvidence,
    private readonly serverTime: ServerTime,
    private readonly clock: BrokerClock,
  ) {}

  /**
   * Reads everything that is needed; parts that were not requested are empty or null. An order moves from the pending list to positions and history, never back, so the
   * order of the reads ensures that none is missed between two of them. Each list may be late by itself, so what an order has
   * filled counts as shown only if the positions agree with its deals.
   * @throws ApiError terminal_unavailable, reconnect_cooldown or server_time_unavailable if a part cannot be read;
   * account_not_synchronized if a pending order was filled and its position is not shown, if a position that the last view has
   * shown is not shown and no deal has closed it, or if the loss of the day lacks what an executed order has done
   */
  read(needs: ViewNeeds): Promise<EntryView> {
    return this.terminal.read(async (terminal) => {
      const account = await this.terminal.readAccount();
      // Before the lists are read: what it has and they lack is gone.
      const known = [...(this.evidence.account?.orders.entriesOf(null) ?? [])].map(([, order]) => order);
      const orders = needs.volumes || needs.dailyLoss ? await terminal.ordersGet() : [];
      const [positions, dailyLoss] = needs.dailyLoss
        ? await this.positionsAndLoss(terminal)
        : [await terminal.positionsGet(), null];
      const lists = { positions, orders };
      if (needs.volumes || needs.dailyLoss) {
        const before = this.listsBefore;
        await this.requireFillsShown(terminal, [...known, ...before.orders], lists);
        await requireHeldShown(terminal, before.positions, positions);
        this.before = { looks: this.evidence.looks, ...lists };
      }
      const shownTickets = await this.shownOf(terminal, needs.executed, lists);
      if (needs.dailyLoss) requireShown(needs.executed, shownTickets);
      const isNetting = account.margin_mode !== AccountMarginMode.RETAIL_HEDGING;
      return {
        isNetting,
        positions: positions.map(facts),
        orders: orders.map(({ ticket, symbol, volume_current }) => ({ ticket, symbol, volume_current })),
        shownTickets,
        dailyLoss,
        currencyDigits: account.currency_digits,
      };
    });
  }

  /** An order that was pending before was counted by the list of orders. Once filled, it has to be counted by that of positions. */
  private async requireFillsShown(
    terminal: TerminalClient,
    before: readonly TradeOrder[],
    lists: Lists,
  ): Promise<void> {
    const pending = new Map(lists.orders.map(({ ticket, volume_current }) => [ticket, volume_current]));
    const gone = before
      .filter(({ ticket, volume_current }) => (pending.get(ticket) ?? 0) < volume_current)
      .map(({ ticket, symbol, volume_current: volume }) => ({ ticket, symbol, volume }));
    requireShown(gone, await this.shownOf(terminal, gone, lists));
  }

  /** Those of the last view, until a look has ended that began after it: what that one shows is known. */
  private get listsBefore(): Lists {
    return this.before !== null && this.evidence.looks < this.before.looks + 2 ? this.before : noLists;
  }

  /** Tickets of the orders of which the lists show all that they have done. Call after the lists were read. */
  private async shownOf(terminal: TerminalClient, executed: readonly ExecutedOrder[], lists: Lists): Promise<number[]> {
    const shown: number[] = [];
    for (const order of executed) {
      const { ticket } = order;
      const isKnown = ticket === 0 || this.evidence.isAccepted(unshown(order)) || listsShow(lists, order);
      if (isKnown || (await isShown(terminal, ticket, lists))) shown.push(ticket);
    }
    return shown;
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

/**
 * A position that an earlier view has shown has released the capacity of its order. If it is shown no longer, or smaller, its deals
 * have to say so.
 * @throws NotSynchronizedError if they do not
 */
async function requireHeldShown(
  terminal: TerminalClient,
  before: readonly TradePosition[],
  positions: readonly TradePosition[],
): Promise<void> {
  const listed = new Map(positions.map((position) => [position.identifier, position]));
  const lost: Unexplained[] = [];
  for (const record of before) {
    const now = listed.get(record.identifier);
    if (now && !isReduced(record, now)) continue;
    const deals = await terminal.historyDealsGet({ position: record.identifier });
    // Only all of its deals tell: those since the view are not known by number.
    const found = lostPosition({ record, toldThrough: Number.POSITIVE_INFINITY }, now, deals);
    if (found) lost.push(found);
  }
  if (lost.length > 0) throw notSynchronized(lost);
}

/** Whether the positions agree with the deals of an order. */
async function isShown(terminal: TerminalClient, ticket: number, { positions, orders }: Lists): Promise<boolean> {
  const order = orders.find((one) => one.ticket === ticket) ?? (await terminal.historyOrdersGet({ ticket }))[0];
  if (!order) return false;
  const rest = order.state === OrderState.FILLED ? 0 : order.volume_current;
  const filled = new Decimal(order.volume_initial).minus(rest);
  if (filled.isZero()) return true;
  const deals = await terminal.historyDealsGet({ ticket });
  if (Decimal.sum(0, ...deals.map(({ volume }) => volume)).lt(filled)) return false;
  for (const deal of deals) {
    const listed = positions.find(({ identifier }) => identifier === deal.position_id);
    if (listed && listed.time_update_msc > deal.time_msc) continue;
    const life = await terminal.historyDealsGet({ position: deal.position_id });
    const isWhole = life.some((one) => one.ticket === deal.ticket);
    if (!isWhole || !netVolume(life).equals(signedLots(listed))) return false;
  }
  return true;
}

/** @throws NotSynchronizedError if the lists do not show all that orders have done */
function requireShown(executed: readonly ExecutedOrder[], shownTickets: readonly number[]): void {
  const lacking = executed.filter(({ ticket }) => !shownTickets.includes(ticket));
  if (lacking.length > 0) throw notSynchronized(lacking.map(unshown));
}

/** An acknowledged order that is in no list: a person may accept that. */
function unshown({ ticket, symbol }: ExecutedOrder): Unexplained {
  const message = `order ${ticket} was executed, and the positions do not show what it has filled`;
  return { kind: 'acknowledged_order_missing', spoils: 'positions', ticket, symbol, message };
}

function facts({ ticket, identifier, symbol, type, volume }: TradePosition): EntryView['positions'][number] {
  return { ticket, identifier, symbol, type, volume };
}
