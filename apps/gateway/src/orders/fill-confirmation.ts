import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '@libs/clock';
import {
  latestDateS,
  sameVolume,
  type OrderSendResult,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { closes, type IntentRecord } from '../trade-core/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { ordersLeftFor } from '../trade-journal/order-for-each';
import { isNamedByOther, matchingOrders, type ClaimOf } from '../trade-journal/trace-match';
import { TradeJournal } from '../trade-journal/trade-journal';
import { lacksTicket } from '../trade-core/ticket-claims';
import { answeredFill, dealtFill, dealtFillOf, isFilledWhole, isOnlyAccepted, type Fill } from './fill';

/** Lists that were read before, the deals last. */
interface ReadLists {
  readonly orders: readonly TradeOrder[];
  readonly historyOrders: readonly TradeOrder[];
  readonly deals: readonly TradeDeal[];
}

/**
 * Confirms the fill of an accepted send. A server may acknowledge an order before the deal is visible, some with a
 * price of 0. Such a price is unknown and is looked up for FILL_CONFIRM_TIMEOUT_MS. A failed look-up never turns an
 * accepted order into an error: the fill stays unresolved.
 */
@Injectable()
export class FillConfirmation {
  private readonly logger = new Logger('trade');

  constructor(
    private readonly journal: TradeJournal,
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS)
    private readonly settings: Pick<GatewaySettings, 'FILL_CONFIRM_TIMEOUT_MS' | 'FILL_CONFIRM_POLL_MS'>,
  ) {}

  /**
   * The fill of one send, looked up if the result does not contain it. If the broker fills the order in parts, this is all of
   * it, or what was filled in time; the broker may fill the rest after the answer.
   */
  async fill(
    terminal: TerminalClient,
    attempt: TradeAttempt,
    intentId: string,
    result: OrderSendResult,
  ): Promise<Fill> {
    const answered = answeredFill(result);
    if (answered.source !== 'unresolved') return answered;
    const intent = attempt.intents.get(intentId);
    const requested = intent?.request.volume ?? 0;
    let { order } = answered;
    const seen: Fill[] = [];
    /** Lots of an order that is known to be filled. */
    let whole: number | null = null;
    const found = await this.poll(async () => {
      order ??= await this.findOrder(terminal, attempt, intentId, result);
      if (order === null) return null;
      const { fill, isFinal, isFilled } = await fillSoFar(terminal, order, requested, intent);
      const known = fill ?? (await openedBy(terminal, order, requested));
      // The history has not all deals of it: a part that was seen before is not all of it.
      if (isFilled) whole = requested;
      if (known === null) return null;
      seen.push({ ...known, order });
      return isFinal ? { ...known, order } : null;
    });
    const last = whole === null || sameVolume(seen.at(-1)?.volume ?? 0, whole) ? seen.at(-1) : undefined;
    return found ?? last ?? { ...answered, volume: answered.volume ?? whole, order };
  }

  /** The ticket of a pending order, looked up if the result does not contain it; null if it does not appear in time. */
  async placedOrder(
    terminal: TerminalClient,
    attempt: TradeAttempt,
    intentId: string,
    result: OrderSendResult,
  ): Promise<number | null> {
    return result.order || this.poll(() => this.findOrder(terminal, attempt, intentId, result));
  }

  /** As {@link fill}, for a close: always looks up its deals, once, for the profit. */
  async closingFill(
    terminal: TerminalClient,
    attempt: TradeAttempt,
    intentId: string,
    result: OrderSendResult,
  ): Promise<Fill> {
    const fill = await this.fill(terminal, attempt, intentId, result);
    if (fill.source !== 'order_send' || fill.order === null) return fill;
    const intent = attempt.intents.get(intentId);
    const dealt = await this.look(async () =>
      dealtOf(intent, await terminal.historyDealsGet({ ticket: result.order })),
    );
    return { ...fill, profit: dealt?.profit ?? null };
  }

  /**
   * Looks up, once, what the broker's answer to a settled send leaves open, and adds it to the outcome: the ticket of its
   * order, and the fill of a close that was only accepted. What does not appear stays open. So does a fill that the broker
   * has not finished: the next look-up may see more of it.
   * @returns whether the broker has finished the order; false also while it has not filled any of it
   * @throws TerminalUnavailableError if a read failed, which proves nothing
   */
  async complete(terminal: TerminalClient, attempt: TradeAttempt, intentId: string): Promise<boolean> {
    const intent = attempt.intents.get(intentId);
    if (intent?.outcome.kind !== 'done') return true;
    const { result } = intent.outcome;
    const order = result.order || (await this.findOrder(terminal, attempt, intentId, result));
    if (order === null || !isAcceptedClose(intent)) return true;
    const { fill, isFinal } = await fillSoFar(terminal, order, intent.request.volume, intent);
    if (fill && isFinal) await this.settleFill(attempt, intent, fill);
    return isFinal;
  }

  /** As {@link complete}, for a close whose order is known, from lists that were read before, the deals last. */
  async completeFrom(
    { orders, historyOrders, deals }: ReadLists,
    attempt: TradeAttempt,
    intentId: string,
  ): Promise<boolean> {
    const intent = attempt.intents.get(intentId);
    if (intent?.outcome.kind !== 'done' || !isAcceptedClose(intent) || intent.outcome.result.order === 0) return true;
    const { order } = intent.outcome.result;
    const fill = dealtFillOf(
      intent,
      deals.filter((deal) => deal.order === order),
    );
    const isOpen = orders.some(({ ticket }) => ticket === order) || isFilledBy(order, historyOrders);
    if (!isWhole(fill, intent.request.volume) && isOpen) return false;
    if (fill) await this.settleFill(attempt, intent, fill);
    return true;
  }

  private async settleFill(
    attempt: TradeAttempt,
    { id, outcome }: IntentRecord,
    { source, order, deal, volume, price }: Fill,
  ): Promise<void> {
    if (outcome.kind !== 'done' || source === 'unresolved') return;
    if (order === null || deal === null || volume === null || price === null) return;
    const result = { ...outcome.result, order, deal, volume, price };
    await this.journal.settle(attempt, id, { ...outcome, source: 'lookup', result });
  }

  /** The position that an order opened or added to, once it is visible; null when it does not appear in time. */
  async position(terminal: TerminalClient, symbol: string, fill: Fill): Promise<TradePosition | null> {
    return fill.order === null ? null : this.poll(() => this.positionNow(terminal, symbol, fill));
  }

  /** As {@link position}, with a single look-up, for a response in which the position is optional. */
  async positionAtOnce(terminal: TerminalClient, symbol: string, fill: Fill): Promise<TradePosition | null> {
    return this.look(() => this.positionNow(terminal, symbol, fill));
  }

  private async positionNow(terminal: TerminalClient, symbol: string, fill: Fill): Promise<TradePosition | null> {
    if (fill.order === null) return null;
    const [own] = await terminal.positionsGet({ ticket: fill.order });
    if (own) return own;
    const positions = await terminal.positionsGet({ symbol });
    const identifier = fill.positionId ?? dealtFill(await terminal.historyDealsGet({ ticket: fill.order }))?.positionId;
    return positions.find((position) => position.identifier === identifier) ?? null;
  }

  /** A pending order by its ticket; null if it does not appear among the active orders in time. */
  async pendingOrder(terminal: TerminalClient, ticket: number): Promise<TradeOrder | null> {
    return this.poll(async () => (await terminal.ordersGet({ ticket }))[0] ?? null);
  }

  /** The order ticket of a send whose result has none; claimed, so that no other request can match it. */
  private async findOrder(
    terminal: TerminalClient,
    attempt: TradeAttempt,
    intentId: string,
    result: OrderSendResult,
  ): Promise<number | null> {
    const intent = attempt.intents.get(intentId);
    if (intent?.outcome.kind !== 'done') return null;
    const oldestMsc = Math.min(
      ...[intent, ...this.sendsWithoutOrder(attempt, intent)].map((send) => send.serverTimeMsc),
    );
    const from = Math.floor(oldestMsc / 1_000);
    const orders = [...(await terminal.ordersGet()), ...(await terminal.historyOrdersGet({ from, to: latestDateS }))];
    const claimOf: ClaimOf = (ticket) => this.journal.claim(ticket);
    // Once more, because a send may have been settled meanwhile.
    const rivals = this.sendsWithoutOrder(attempt, intent);
    const own = orders.filter((order) => !isNamedByOther(intent, order, rivals, claimOf));
    const [only, ...others] = matchingOrders(intent, own, claimOf);
    // If more than one matches, or too few for all sends, the ticket stays unknown: it could be that of another request.
    if (!only || others.length > 0 || ordersLeftFor(intent, [only], rivals, orders, claimOf).length === 0) return null;
    await this.journal.settle(attempt, intent.id, { ...intent.outcome, result: { ...result, order: only.ticket } });
    return only.ticket;
  }

  /** Other sends whose order is not known. */
  private sendsWithoutOrder(attempt: TradeAttempt, intent: IntentRecord): IntentRecord[] {
    const live = [...this.journal.running(), ...this.journal.unresolved()].filter((other) => other !== attempt);
    return [
      ...live.flatMap(({ openIntents }) => openIntents),
      ...this.journal.intents.acknowledgedWithoutOrder(intent),
    ];
  }

  /** Polls until a result is found or the time is up. A read that fails finds nothing. */
  async poll<T>(look: () => Promise<T | null>): Promise<T | null> {
    const { FILL_CONFIRM_TIMEOUT_MS: timeoutMs, FILL_CONFIRM_POLL_MS: pollMs } = this.settings;
    const deadlineMs = this.clock.monotonicMs() + timeoutMs;
    for (;;) {
      const found = await this.look(look);
      if (found !== null) return found;
      if (this.clock.monotonicMs() + pollMs > deadlineMs) return null;
      await this.clock.sleep(pollMs);
    }
  }

  private async look<T>(look: () => Promise<T | null>): Promise<T | null> {
    try {
      return await look();
    } catch (error) {
      this.logger.warn({ err: error }, 'a fill could not be looked up');
      return null;
    }
  }
}

/** Whether the broker's answer leaves something open that {@link FillConfirmation.complete} looks up. */
export function isIncomplete(intent: Pick<IntentRecord, 'purpose' | 'outcome'>): boolean {
  return lacksTicket(intent) || isAcceptedClose(intent);
}

function isAcceptedClose({ purpose, outcome }: Pick<IntentRecord, 'purpose' | 'outcome'>): boolean {
  return closes(purpose) && outcome.kind === 'done' && isOnlyAccepted(outcome.result, answeredFill(outcome.result));
}

/**
 * What the deals of an order show, and whether the broker has finished the order and they are all of it.
 * @returns isFilled: the order was filled, and the history has not all deals of it
 */
async function fillSoFar(
  terminal: TerminalClient,
  order: number,
  requested: number,
  intent: IntentRecord | undefined,
): Promise<{ readonly fill: Fill | null; readonly isFinal: boolean; readonly isFilled: boolean }> {
  const read = async (): Promise<Fill | null> => dealtOf(intent, await terminal.historyDealsGet({ ticket: order }));
  const fill = await read();
  if (isWhole(fill, requested)) return { fill, isFinal: true, isFilled: false };
  if ((await terminal.ordersGet({ ticket: order })).length > 0) return { fill, isFinal: false, isFilled: false };
  const done = await terminal.historyOrdersGet({ ticket: order }).catch(() => null);
  // Once more, because the rest of it may have been filled between the reads.
  const last = await read();
  if (done === null) return { fill: last, isFinal: isWhole(last, requested), isFilled: false };
  const isFilled = isFilledBy(order, done);
  if (isFilled && !isWhole(last, requested)) return { fill: null, isFinal: false, isFilled };
  return { fill: last, isFinal: true, isFilled: false };
}

function isFilledBy(order: number, done: readonly TradeOrder[]): boolean {
  return done.some((row) => row.ticket === order && isFilledWhole(row));
}

function dealtOf(intent: IntentRecord | undefined, deals: readonly TradeDeal[]): Fill | null {
  return intent ? dealtFillOf(intent, deals) : dealtFill(deals);
}

function isWhole(fill: Fill | null, requested: number): boolean {
  return fill !== null && (fill.volume ?? 0) >= requested;
}

/**
 * On a hedging account the new position carries its order's ticket. One of another volume has the mean price of several orders, or
 * was closed in part: it does not show what this order filled.
 */
async function openedBy(terminal: TerminalClient, order: number, requested: number): Promise<Fill | null> {
  const [position] = await terminal.positionsGet({ ticket: order });
  if (!position || position.price_open <= 0 || !sameVolume(position.volume, requested)) return null;
  return {
    source: 'position',
    price: position.price_open,
    volume: position.volume,
    deal: null,
    order,
    positionId: position.identifier,
    profit: null,
  };
}
