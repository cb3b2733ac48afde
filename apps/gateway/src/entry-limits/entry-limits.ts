import { Decimal } from 'decimal.js';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import type { ApiError } from '@libs/envelope';
import { isBuyOrder, PositionType, type TradePosition } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import type { EntryLimits, Exposure } from '../pre-trade/entry';
import { isMarketOrder } from '../pre-trade/market-price';
import { entryRefusal } from '../pre-trade/pre-trade-checks';
import type { ProposedOrder } from '../pre-trade/proposed-order';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { AccountViewReader, type AccountView } from './account-view';
import { EntryLedger, isEntry } from './entry-ledger';

const minuteMs = 60_000;
/** How often a refused entry is judged again after the requests in flight, and how long it waits for them each time. */
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
 * The limits on entries: MAX_ORDERS_PER_MINUTE, MAX_OPEN_VOLUME, MAX_OPEN_VOLUME_PER_SYMBOL and MAX_DAILY_LOSS. An order
 * is judged and its capacity is held in one step, one order at a time, so that requests which come together cannot use
 * the same capacity. Exits never come here, but for an order that only reduces a netting position.
 */
@Injectable()
export class EntryLimitsGate {
  /** null when none is set. */
  readonly limits: EntryLimits | null;
  private readonly ledger = new EntryLedger();
  private takenUp: Promise<void> | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(GATEWAY_SETTINGS) settings: GatewaySettings,
    private readonly account: AccountViewReader,
    private readonly journal: TradeJournal,
    private readonly clock: Clock,
  ) {
    const limits = {
      maxOrdersPerMinute: settings.MAX_ORDERS_PER_MINUTE ?? null,
      maxOpenVolume: settings.MAX_OPEN_VOLUME ?? null,
      maxOpenVolumePerSymbol: settings.MAX_OPEN_VOLUME_PER_SYMBOL ?? null,
      maxDailyLoss: settings.MAX_DAILY_LOSS ?? null,
    };
    this.limits = Object.values(limits).some((limit) => limit !== null) ? limits : null;
  }

  /**
   * Holds capacity for an order that is about to be sent. Requests in flight may yet come to nothing: while they are
   * what leaves too little, their end is awaited for a moment.
   * @throws ApiError order_rate_exceeded, open_volume_exceeded or daily_loss_exceeded; or why the account cannot be read
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
        return { admission: this.ledger.reserve(held, this.clock.monotonicMs()) };
      });
      if (verdict.admission) return verdict.admission;
      const inFlight = this.ledger.inFlight();
      if (round === rounds || inFlight.length === 0 || verdict.refusal.errorType !== 'open_volume_exceeded') {
        throw verdict.refusal;
      }
      await this.within(Promise.all(inFlight), waitMs);
    }
  }

  /**
   * Judges an order without holding anything.
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
    if (refusal) throw refusal;
  }

  /**
   * The figures that the limits are held against now; null when no limit is set.
   * @throws ApiError when the account cannot be read
   */
  async exposure(): Promise<Exposure | null> {
    const { limits } = this;
    if (limits === null) return null;
    return this.oneAtATime(async () => this.exposureOf(await this.view(limits), limits));
  }

  /** Entries of the last minute: known without the terminal. */
  async ordersLastMinute(): Promise<number> {
    await this.takeUp();
    return this.ledger.rate(this.clock.monotonicMs()).count;
  }

  /** What cannot be settled within a time is left to itself. */
  async within<T>(work: Promise<T>, timeoutMs: number): Promise<T | null> {
    let stop = (): void => undefined;
    const timeout = new Promise<null>((resolve) => {
      const timer = this.clock.setTimer(timeoutMs, () => resolve(null));
      stop = () => timer.cancel();
    });
    return Promise.race([work, timeout]).finally(stop);
  }

  private refusal(symbol: string, addedVolume: number, view: AccountView, limits: EntryLimits): ApiError | null {
    return entryRefusal({ symbol, addedVolume }, this.exposureOf(view, limits), limits);
  }

  private exposureOf(view: AccountView, limits: EntryLimits): Exposure {
    const { count, nextInMs } = this.ledger.rate(this.clock.monotonicMs());
    return {
      ordersLastMinute: count,
      nextOrderInMs: nextInMs,
      openVolume: boundsVolume(limits) ? this.openVolume(view) : null,
      dailyLoss: view.dailyLoss,
    };
  }

  private openVolume({ positions, orders }: AccountView): Map<string, number> {
    const volumes = this.ledger.addedVolumes();
    const add = (symbol: string, volume: Decimal.Value): void => {
      volumes.set(symbol, (volumes.get(symbol) ?? new Decimal(0)).plus(volume));
    };
    for (const { symbol, volume } of positions) add(symbol, volume);
    for (const { symbol, volume_current } of orders) add(symbol, volume_current);
    for (const { symbol, side, volume } of this.ledger.reductions()) {
      const position = oppositePosition(positions, symbol, side);
      add(symbol, Decimal.max(0, volume.minus(position?.volume ?? 0)));
    }
    return new Map([...volumes].map(([symbol, volume]) => [symbol, volume.toNumber()]));
  }

  /**
   * Lots that an order may add. On a netting account, a market order against the position first takes away from it, as
   * far as other requests that may still be executed do not do so already.
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
    await this.takeUp();
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

  /** What an earlier process sent in the last minute, and what it left without an outcome. */
  private takeUp(): Promise<void> {
    return (this.takenUp ??= this.takeUpJournal().catch((error: unknown) => {
      this.takenUp = null;
      throw error;
    }));
  }

  private async takeUpJournal(): Promise<void> {
    const intents = await this.journal.intentsSince(this.clock.nowMs() - minuteMs);
    const monotonicMs = this.clock.monotonicMs();
    const nowMs = this.clock.nowMs();
    const sentAtMs = new Map<string, number>();
    for (const { id, purpose, outcome, createdAtMs } of intents) {
      if (isEntry({ purpose }) && outcome.kind !== 'not_sent')
        sentAtMs.set(id.slice(0, id.lastIndexOf('/')), createdAtMs);
    }
    // A wall clock that was set back must not make an entry younger than now.
    for (const atMs of sentAtMs.values()) this.ledger.takeUpSent(monotonicMs - Math.max(0, nowMs - atMs));
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

function boundsVolume({ maxOpenVolume, maxOpenVolumePerSymbol }: EntryLimits): boolean {
  return maxOpenVolume !== null || maxOpenVolumePerSymbol !== null;
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
