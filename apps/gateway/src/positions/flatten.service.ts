import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import type { Caller } from '../audit/caller';
import { ApiError } from '@libs/envelope';
import { wasAlreadySo } from '@libs/order-drafts';
import { Retcode, sameVolume, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { LiveOrders } from '../orders/live-orders';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { CloseAll } from './close-all';
import { doubtfulPositions } from './close-all-answer';
import type { FailedItem, FlattenReport } from './flatten.response';
import { LivePositions } from './live-positions';

const route = 'POST /kill';
/** A pending order may fill while it is being cancelled; a further round closes the resulting position. */
const rounds = 3;

/** All that may be open. */
interface MayBeOpen {
  readonly orders: readonly TradeOrder[];
  readonly positions: readonly TradePosition[];
  /** Why there may be more; null if these are all. */
  readonly doubt: ApiError | null;
}

/** Cancels every pending order and closes every position. The kill switch does not block it. */
@Injectable()
export class FlattenService {
  constructor(
    private readonly orders: LiveOrders,
    private readonly positions: LivePositions,
    private readonly closeAll: CloseAll,
    private readonly journal: TradeJournal,
    private readonly terminal: TerminalAccess,
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS)
    private readonly settings: Pick<GatewaySettings, 'FILL_CONFIRM_TIMEOUT_MS' | 'FILL_CONFIRM_POLL_MS'>,
  ) {}

  /** @throws ApiError if orders and positions cannot be read, and nothing was sent */
  async flatten({ request_id: requestId, trace_id: traceId, api_key: keyRole }: Caller): Promise<FlattenReport> {
    const origin = { requestId, traceId, keyRole, method: 'POST', path: '/kill', route };
    const identity = { ...origin, clientOrderId: null, fingerprint: '' };
    const attempt = this.journal.begin(identity, false);
    attempt.ignoresFences = true;
    try {
      const report = await this.run(attempt);
      await this.keep(attempt, report);
      return report;
    } catch (error) {
      await this.keep(attempt, { error: 'interrupted' });
      throw error;
    }
  }

  private async run(attempt: TradeAttempt): Promise<FlattenReport> {
    const report: FlattenReport = { cancelled: [], closed: [], failed: [], unknown: [], complete: false };
    const failures = new Map<string, FailedItem>();
    const exited = new Exited(attempt);
    for (let round = 1; round <= rounds; round++) {
      const left = exited.leftOf(await this.mayBeOpen(exited));
      if (left.orders.length === 0 && left.positions.length === 0) {
        // The terminal may show late what an order has opened, and what was closed.
        const seen = await this.untilShown(exited, report.unknown.length > 0);
        if (!exited.hasLeft(seen) || round === rounds) return reportOf(report, failures, seen, exited);
        continue;
      }
      const cancels = await this.closeAll.orders(attempt, left.orders);
      const closes = await this.closeAll.positions(attempt, left.positions);
      exited.note(left.positions);
      report.cancelled.push(...cancels.cancelled);
      report.closed.push(...closes.closed);
      report.unknown.push(...cancels.unknown, ...closes.unknown);
      // What failed before and was done now did not fail.
      for (const row of shownOf(left)) failures.delete(keyOf(row));
      for (const item of [...cancels.failed, ...closes.failed]) failures.set(keyOf(item), item);
    }
    return reportOf(report, failures, await this.untilShown(exited, report.unknown.length > 0), exited);
  }

  /** @throws ApiError if it cannot be read, and nothing was sent: what was sent has to be reported */
  private async mayBeOpen(exited: Exited, isAnew = false): Promise<MayBeOpen> {
    try {
      const unseen = isAnew ? await this.terminal.lookAnew() : null;
      // In this order, an order that fills between the reads is seen twice rather than never.
      const orders = await this.orders.forExits(unseen);
      const positions = await this.positions.forExits(unseen);
      return { orders: orders.rows, positions: positions.rows, doubt: orders.doubt ?? positions.doubt };
    } catch (error) {
      if (!(error instanceof ApiError) || !exited.isBegun) throw error;
      return { orders: [], positions: [], doubt: error };
    }
  }

  /**
   * What may be open by looks of now: waits until they explain the account and show what was exited, and no longer for what the
   * broker has not done.
   * @param isOver nothing that a look shows would make it complete
   */
  private async untilShown(exited: Exited, isOver: boolean): Promise<MayBeOpen> {
    const { FILL_CONFIRM_TIMEOUT_MS: timeoutMs, FILL_CONFIRM_POLL_MS: pollMs } = this.settings;
    const deadlineMs = this.clock.monotonicMs() + timeoutMs;
    for (;;) {
      const seen = await this.mayBeOpen(exited, true);
      const isFlat = seen.doubt === null && seen.orders.length + seen.positions.length === 0;
      if (isFlat || isOver || exited.hasLeft(seen) || this.clock.monotonicMs() + pollMs > deadlineMs) return seen;
      await this.clock.sleep(pollMs);
    }
  }

  private async keep(attempt: TradeAttempt, answer: object): Promise<void> {
    if (attempt.intents.size === 0) await this.journal.release(attempt);
    else await this.journal.complete(attempt, { status: 200, body: JSON.stringify(answer) });
  }
}

/** What a flattening has exited. The broker is asked once for each that it has accepted: a list may show it for a while. */
class Exited {
  /** The positions as they were read before their closes. */
  private readonly before = new Map<number, TradePosition>();

  constructor(private readonly attempt: TradeAttempt) {}

  /** Whether something may have been sent. */
  get isBegun(): boolean {
    return this.attempt.intents.size > 0;
  }

  note(positions: readonly TradePosition[]): void {
    for (const position of positions) this.before.set(position.ticket, position);
  }

  /** What is to be exited of what may be open: not what is undecided, nor what was exited. */
  leftOf({ orders, positions }: MayBeOpen): Pick<MayBeOpen, 'orders' | 'positions'> {
    return {
      orders: orders.filter(({ ticket }) => !this.isUndecided(ticket) && !this.isDone(ticket)),
      positions: positions.filter((row) => !this.isUndecided(row.ticket) && !this.isClosed(row)),
    };
  }

  hasLeft(open: MayBeOpen): boolean {
    const { orders, positions } = this.leftOf(open);
    return orders.length + positions.length > 0;
  }

  /** Whether a list shows what the broker has acknowledged as exited. */
  isShownStill(shown: ShownRow): boolean {
    const { kind, ticket } = shown;
    return kind === 'order' ? this.isDone(ticket) : !this.isUndecided(ticket) && this.isClosed(shown.row);
  }

  /** A position that was closed and has not changed since: on an account that nets, a new fill goes into the same one. */
  private isClosed({ ticket, volume, time_update_msc }: TradePosition): boolean {
    const before = this.before.get(ticket);
    if (!before || !this.isDone(ticket)) return false;
    return sameVolume(volume, before.volume) && time_update_msc <= before.time_update_msc;
  }

  /** A close or a cancellation of this ticket that was executed as a whole, or that the broker had nothing left to do for. */
  private isDone(ticket: number): boolean {
    return [...this.attempt.intents.values()].some(({ purpose, request, outcome }) => {
      if (outcome.kind !== 'done') return false;
      const { retcode, volume } = outcome.result;
      if (purpose === 'cancel') return request.order === ticket;
      if (purpose !== 'close' || request.position !== ticket) return false;
      // Of one that is only accepted, all may be executed at any time.
      const isWhole = retcode === Retcode.PLACED || volume === 0 || sameVolume(volume, request.volume);
      return wasAlreadySo(purpose, retcode) || (isWhole && retcode !== Retcode.DONE_PARTIAL);
    });
  }

  /** A send for this ticket has no known outcome. It may have taken effect, so it is not repeated. */
  private isUndecided(ticket: number): boolean {
    return this.attempt.openIntents.some(({ request }) => request.position === ticket || request.order === ticket);
  }
}

interface Shown {
  readonly ticket: number;
  readonly symbol: string;
}
type ShownRow =
  (Shown & { readonly kind: 'order' }) | (Shown & { readonly kind: 'position'; readonly row: TradePosition });

function shownOf({ orders, positions }: Pick<MayBeOpen, 'orders' | 'positions'>): readonly ShownRow[] {
  return [
    ...orders.map(({ ticket, symbol }) => ({ kind: 'order', ticket, symbol }) as const),
    ...positions.map((row) => ({ kind: 'position', ticket: row.ticket, symbol: row.symbol, row }) as const),
  ];
}

function keyOf({ kind, ticket }: Pick<FailedItem, 'kind' | 'ticket'>): string {
  return `${kind} ${ticket}`;
}

/** The report by what may be open at the end. What failed in one round and is gone now is not a failure. */
function reportOf(
  report: FlattenReport,
  failures: ReadonlyMap<string, FailedItem>,
  seen: MayBeOpen,
  exited: Exited,
): FlattenReport {
  const { positions, doubt } = seen;
  const shown = shownOf(seen);
  const failed = shown.flatMap((one): FailedItem[] => {
    const failure = failures.get(keyOf(one));
    if (failure) return [failure];
    return exited.isShownStill(one) ? [stillShown(one)] : [];
  });
  if (doubt) {
    const reported = new Set([...report.closed, ...failed].map(({ ticket }) => ticket));
    failed.push(...doubtfulPositions(doubt, positions, reported));
  }
  return { ...report, failed, complete: shown.length === 0 && doubt === null && report.unknown.length === 0 };
}

function stillShown({ kind, ticket, symbol }: ShownRow): FailedItem {
  const exit = kind === 'order' ? 'cancellation' : 'close';
  const error = `the broker acknowledged the ${exit}; a list still shows the ${kind}`;
  return { kind, ticket, symbol, error_type: 'unknown_outcome', error };
}
