import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { boundsVolume, operatorLimits, type EntryLimits, type Exposure, type OrderRefusal } from '@libs/order-drafts';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { refusalError, unlessRefused } from '../pre-trade/refusal-error';
import {
  exposureOf,
  ordersToShow,
  rateOf,
  refusalOf,
  type EntryOrder,
  type EntryView,
} from '../trade-core/counted-entries';
import type { TradeState } from '../trade-core/trade-state';
import type { CoreShell } from '../trade-journal/core-shell';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { AccountViewReader } from './account-view';

/** Number of re-checks of a denied entry after the requests in flight, and the longest wait before each. */
const rounds = 3;
const waitMs = 2_000;

/** Capacity held for one order. */
export interface Admission {
  /** Nothing more is sent for it. */
  end(): void;
}

const unlimited: Admission = { end: () => undefined };

/**
 * The entry limits: MAX_ORDERS_PER_MINUTE, MAX_OPEN_VOLUME, MAX_OPEN_VOLUME_PER_SYMBOL and MAX_DAILY_LOSS. The trade core checks
 * an order and holds its capacity in one step, so that simultaneous requests cannot use the same capacity. The account is read for
 * one order at a time: what a later read shows must not release capacity that an earlier one does not show. Exits are not limited, and do not come here except as an order that may only reduce a netting position.
 */
@Injectable()
export class EntryLimitsGate {
  /** null if none is set. */
  readonly limits: EntryLimits | null;
  /** Orders that are being sent. */
  private readonly inFlight = new Set<Promise<void>>();
  private last: Promise<unknown> = Promise.resolve();
  private readonly shell: CoreShell;

  constructor(
    @Inject(GATEWAY_SETTINGS) settings: GatewaySettings,
    private readonly account: AccountViewReader,
    journal: TradeJournal,
    private readonly clock: Clock,
  ) {
    this.limits = operatorLimits(settings).entries;
    this.shell = journal.shell;
  }

  /**
   * Holds capacity for an order that is about to be sent. If requests in flight are the reason for a lack of capacity,
   * it waits briefly for their end, because they may fail.
   * @throws ApiError order_rate_exceeded, open_volume_exceeded or daily_loss_exceeded; or the error of an account that
   * cannot be read
   */
  async admit(attempt: TradeAttempt, { symbol, type, volume }: EntryOrder): Promise<Admission> {
    const { limits } = this;
    if (limits === null) return unlimited;
    const { id: requestId } = attempt.record;
    const order = { symbol, type, volume };
    for (let round = 1; ; round++) {
      const refusal = await this.oneAtATime(async (): Promise<OrderRefusal | null> => {
        const view = await this.read(limits);
        const [verdict] = this.shell.deliver({ type: 'entry asked', requestId, order, view, limits });
        return verdict?.type === 'refuse entry' ? verdict.refusal : null;
      });
      if (refusal === null) return this.begun(requestId);
      if (round === rounds || this.inFlight.size === 0 || refusal.errorType !== 'open_volume_exceeded') {
        throw refusalError(refusal);
      }
      await this.within(Promise.all(this.inFlight), waitMs);
    }
  }

  /**
   * Checks an order without holding capacity.
   * @throws ApiError as {@link admit}
   */
  async check(order: EntryOrder): Promise<void> {
    const { limits } = this;
    if (limits === null) return;
    const view = await this.viewed(limits);
    unlessRefused(refusalOf(this.state, order, view, limits, this.shell.at.runningMs));
  }

  /**
   * The current figures to compare with the limits; null if no limit is set.
   * @throws ApiError if the account cannot be read
   */
  async exposure(): Promise<Exposure | null> {
    const { limits } = this;
    if (limits === null) return null;
    const view = await this.viewed(limits);
    return exposureOf(this.state, view, limits, this.shell.at.runningMs);
  }

  /** Entries of the last minute; needs no terminal. */
  ordersLastMinute(): number {
    return rateOf(this.state, this.shell.at.runningMs).count;
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

  private begun(requestId: string): Admission {
    let resolve = (): void => undefined;
    const ended = new Promise<void>((done) => (resolve = done));
    this.inFlight.add(ended);
    const end = (): void => {
      this.shell.deliver({ type: 'entry ended', requestId });
      this.inFlight.delete(ended);
      resolve();
    };
    return { end };
  }

  private viewed(limits: EntryLimits): Promise<EntryView> {
    return this.oneAtATime(async () => {
      const view = await this.read(limits);
      this.shell.deliver({ type: 'account viewed', view });
      return view;
    });
  }

  private read(limits: EntryLimits): Promise<EntryView> {
    return this.account.read({
      volumes: boundsVolume(limits),
      dailyLoss: limits.maxDailyLoss !== null,
      executed: ordersToShow(this.state),
    });
  }

  private get state(): TradeState {
    return this.shell.core.state;
  }

  private async oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work);
    this.last = mine.catch(() => undefined);
    return mine;
  }
}
