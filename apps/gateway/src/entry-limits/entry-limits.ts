import { Decimal } from 'decimal.js';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import {
  addVolume,
  boundsVolume,
  entryRefusal,
  isMarketOrder,
  openVolumes,
  operatorLimits,
  type EntryLimits,
  type Exposure,
  type OrderRefusal,
  type ProposedOrder,
} from '@libs/order-drafts';
import { isBuyOrder, PositionType, type TradePosition } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { refusalError, unlessRefused } from '../pre-trade/refusal-error';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { AccountViewReader, type AccountView } from './account-view';
import { EntryLedger, isEntry } from './entry-ledger';

const minuteMs = 60_000;
/** Number of re-checks of a denied entry after the requests in flight, and the longest wait before each. */
const rounds = 3;
const waitMs = 2_000;

type Order = Pick<ProposedOrder, 'symbol' | 'type' | 'volume'>;

/** Capacity held for one order. */
export interface Admission {
  /** Nothing more is sent for it. */
  end(): void;
}

const unlimited: Admission = { end: () => undefined };

/**
 * The entry limits: MAX_ORDERS_PER_MINUTE, MAX_OPEN_VOLUME, MAX_OPEN_VOLUME_PER_SYMBOL and MAX_DAILY_LOSS. An order is
 * checked and its capacity held in one step, one order at a time, so that simultaneous requests cannot use the same
 * capacity. Exits are not limited, and do not come here except as an order that may only reduce a netting position.
 */
@Injectable()
export class EntryLimitsGate {
  /** null if none is set. */
  readonly limits: EntryLimits | null;
  private readonly ledger = new EntryLedger();
  private isTakenUp = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(GATEWAY_SETTINGS) settings: GatewaySettings,
    private readonly account: AccountViewReader,
    private readonly journal: TradeJournal,
    private readonly clock: Clock,
  ) {
    this.limits = operatorLimits(settings).entries;
  }

  /**
   * Holds capacity for an order that is about to be sent. If requests in flight are the reason for a lack of capacity,
   * it waits briefly for their end, because they may fail.
   * @throws ApiError order_rate_exceeded, open_volume_exceeded or daily_loss_exceeded; or the error of an account that
   * cannot be read
   */
  async admit(attempt: TradeAttempt, order: Order): Promise<Admission> {
    const { limits } = this;
    if (limits === null) return unlimited;
    for (let round = 1; ; round++) {
      const verdict = await this.oneAtATime(async () => {
        const view = await this.view(limits);
        const addedVolume = this.addedVolume(order, view);
        const refusal = addedVolume === 0 ? null : this.refusal(order.symbol, addedVolume, view, limits);
        if (refusal) return { refusal };
        const { symbol, type, volume } = order;
        const held = { attempt, symbol, side: sideOf(type), volume, addedVolume };
        const { end } = this.ledger.reserve(held);
        return { admission: { end: () => end(this.clock.monotonicMs()) } };
      });
      if (verdict.admission) return verdict.admission;
      const inFlight = this.ledger.inFlight();
      if (round === rounds || inFlight.length === 0 || verdict.refusal.errorType !== 'open_volume_exceeded') {
        throw refusalError(verdict.refusal);
      }
      await this.within(Promise.all(inFlight), waitMs);
    }
  }

  /**
   * Checks an order without holding capacity.
   * @throws ApiError as {@link admit}
   */
  async check(order: Order): Promise<void> {
    const { limits } = this;
    if (limits === null) return;
    const refusal = await this.oneAtATime(async () => {
      const view = await this.view(limits);
      const addedVolume = this.addedVolume(order, view);
      return addedVolume === 0 ? null : this.refusal(order.symbol, addedVolume, view, limits);
    });
    unlessRefused(refusal);
  }

  /**
   * The current figures to compare with the limits; null if no limit is set.
   * @throws ApiError if the account cannot be read
   */
  async exposure(): Promise<Exposure | null> {
    const { limits } = this;
    if (limits === null) return null;
    return this.oneAtATime(async () => this.exposureOf(await this.view(limits), limits));
  }

  /** Entries of the last minute; needs no terminal. */
  async ordersLastMinute(): Promise<number> {
    this.takeUp();
    return this.ledger.rate(this.clock.monotonicMs()).count;
  }

  /** Waits for a promise, at most for a time. */
  async within<T>(work: Promise<T>, timeoutMs: number): Promise<T | null> {
    let stop = (): void => undefined;
    const timeout = new Promise<null>((resolve) => {
      const timer = this.clock.setTimer(timeoutMs, () => resolve(null));
      stop = () => timer.cancel();
    });
    return Promise.race([work, timeout]).finally(stop);
  }

  private refusal(symbol: string, addedVolume: number, view: AccountView, limits: EntryLimits): OrderRefusal | null {
    return entryRefusal({ symbol, addedVolume }, this.exposureOf(view, limits), limits);
  }

  private exposureOf(view: AccountView, limits: EntryLimits): Exposure {
    const { count, nextInMs } = this.ledger.rate(this.clock.monotonicMs());
    return {
      ordersLastMinute: count,
      nextOrderInMs: nextInMs,
      openVolume: boundsVolume(limits) ? this.openVolume(view) : null,
      dailyLoss: view.dailyLoss,
      currencyDigits: view.currencyDigits,
    };
  }

  private openVolume({ positions, orders }: AccountView): Map<string, number> {
    const volumes = openVolumes(positions, orders);
    for (const [symbol, volume] of this.ledger.addedVolumes()) addVolume(volumes, symbol, volume);
    for (const { symbol, side, volume } of this.ledger.reductions()) {
      const position = oppositePosition(positions, symbol, side);
      addVolume(volumes, symbol, Decimal.max(0, volume.minus(position?.volume ?? 0)));
    }
    return new Map([...volumes].map(([symbol, volume]) => [symbol, volume.toNumber()]));
  }

  /**
   * Lots that an order may add. On a netting account, a market order against the position first reduces it, unless
   * other requests that may still execute already do so.
   */
  private addedVolume({ symbol, type, volume }: Order, { isNetting, positions }: AccountView): number {
    if (!isNetting || !isMarketOrder(type)) return volume;
    const side = sideOf(type);
    const position = oppositePosition(positions, symbol, side);
    if (!position) return volume;
    const reducible = new Decimal(position.volume)
      .minus(this.ledger.sideVolume(symbol, side))
      .minus(this.closingVolume(symbol));
    return Decimal.max(0, new Decimal(volume).minus(Decimal.max(0, reducible))).toNumber();
  }

  /** Lots of the closes of a symbol that are in flight or of unknown outcome. */
  private closingVolume(symbol: string): Decimal {
    const closes = [...this.journal.running(), ...this.journal.unresolved()]
      .flatMap(({ openIntents }) => openIntents)
      .filter(({ purpose, request }) => purpose.startsWith('close') && request.symbol === symbol);
    return Decimal.sum(0, ...closes.map(({ request }) => request.volume));
  }

  private async view(limits: EntryLimits): Promise<AccountView> {
    this.takeUp();
    const tickets = this.ledger.doneTickets();
    const view = await this.account.read({
      volumes: boundsVolume(limits),
      dailyLoss: limits.maxDailyLoss !== null,
      tickets,
    });
    const shown = new Set([
      ...view.historyTickets,
      ...view.orders.map(({ ticket }) => ticket),
      ...view.positions.flatMap(({ ticket, identifier }) => [ticket, identifier]),
    ]);
    this.ledger.drop((ticket) => shown.has(ticket));
    return view;
  }

  /** Restores entries of the last minute and sends without an outcome from an earlier process. */
  private takeUp(): void {
    if (this.isTakenUp) return;
    this.takeUpJournal();
    this.isTakenUp = true;
  }

  private takeUpJournal(): void {
    // Ages are in running time: changes of the wall clock do not affect them, and downtime does not count.
    const monotonicMs = this.clock.monotonicMs();
    const sentAtMs = new Map<string, number>();
    for (const { intent, ageMs } of this.journal.intents.writtenWithin(minuteMs)) {
      const { id, outcome } = intent;
      if (isEntry(intent) && outcome.kind !== 'not_sent')
        sentAtMs.set(id.slice(0, id.lastIndexOf('/')), monotonicMs - ageMs);
    }
    for (const atMs of sentAtMs.values()) this.ledger.takeUpSent(atMs);
    for (const attempt of this.journal.unresolved()) {
      const intent = attempt.openIntents.find(isEntry);
      if (!intent) continue;
      const { symbol, type, volume } = intent.request;
      this.ledger.takeUp({ attempt, symbol, side: sideOf(type), volume, addedVolume: volume });
    }
  }

  private async oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}

function sideOf(type: number): 'buy' | 'sell' {
  return isBuyOrder(type) ? 'buy' : 'sell';
}

function oppositePosition(
  positions: readonly TradePosition[],
  symbol: string,
  side: 'buy' | 'sell',
): TradePosition | undefined {
  const type = side === 'buy' ? PositionType.SELL : PositionType.BUY;
  return positions.find((position) => position.symbol === symbol && position.type === type);
}
