import { Injectable } from '@nestjs/common';
import type { Caller } from '../audit/caller';
import type { ApiError } from '@libs/envelope';
import { wasAlreadySo } from '@libs/order-drafts';
import { Retcode } from '@libs/terminal-client';
import { LiveOrders } from '../orders/live-orders';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { CloseAll } from './close-all';
import { doubtfulPositions } from './close-all-answer';
import type { FailedItem, FlattenReport } from './flatten.response';
import { LivePositions } from './live-positions';

const route = 'POST /kill';
/** A pending order may fill while it is being cancelled; a further round closes the resulting position. */
const rounds = 3;

/** Cancels every pending order and closes every position. The kill switch does not block it. */
@Injectable()
export class FlattenService {
  constructor(
    private readonly orders: LiveOrders,
    private readonly positions: LivePositions,
    private readonly closeAll: CloseAll,
    private readonly journal: TradeJournal,
  ) {}

  /** @throws ApiError if orders and positions cannot be read; then nothing was sent */
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
    for (let round = 1; round <= rounds; round++) {
      const orders = leftOf(attempt, await this.orders.forExits());
      const positions = leftOf(attempt, await this.positions.forExits());
      if (orders.length === 0 && positions.length === 0) break;
      const cancels = await this.closeAll.orders(attempt, orders);
      const closes = await this.closeAll.positions(attempt, positions);
      report.cancelled.push(...cancels.cancelled);
      report.closed.push(...closes.closed);
      report.unknown.push(...cancels.unknown, ...closes.unknown);
      for (const item of [...cancels.failed, ...closes.failed]) failures.set(`${item.kind} ${item.ticket}`, item);
    }
    const orders = await this.orders.forExits();
    const positions = await this.positions.forExits();
    const doubt = orders.doubt ?? positions.doubt;
    const left = new Set([
      ...orders.rows.map(({ ticket }) => `order ${ticket}`),
      ...positions.rows.map(({ ticket }) => `position ${ticket}`),
    ]);
    // What failed in one round and is gone now is not a failure.
    const failed = [...failures].filter(([key]) => left.has(key)).map(([, item]) => item);
    if (doubt) {
      const reported = new Set([...report.closed, ...failed].map(({ ticket }) => ticket));
      failed.push(...doubtfulPositions(doubt, positions.rows, reported));
    }
    return { ...report, failed, complete: left.size === 0 && doubt === null && report.unknown.length === 0 };
  }

  private async keep(attempt: TradeAttempt, answer: object): Promise<void> {
    if (attempt.intents.size === 0) await this.journal.release(attempt);
    else await this.journal.complete(attempt, { status: 200, body: JSON.stringify(answer) });
  }
}

/** What is to be exited of what may be open: not what is undecided, nor what was exited and a doubtful list still shows. */
function leftOf<Row extends { readonly ticket: number }>(
  attempt: TradeAttempt,
  { rows, doubt }: { readonly rows: readonly Row[]; readonly doubt: ApiError | null },
): Row[] {
  return rows.filter(({ ticket }) => !isUndecided(attempt, ticket) && (doubt === null || !isDone(attempt, ticket)));
}

/** A close or a cancellation of this ticket that was executed, or that the broker had nothing left to do for. */
function isDone(attempt: TradeAttempt, ticket: number): boolean {
  return [...attempt.intents.values()].some(
    ({ purpose, request, outcome }) =>
      outcome.kind === 'done' &&
      (outcome.result.retcode === Retcode.DONE || wasAlreadySo(purpose, outcome.result.retcode)) &&
      ((purpose === 'close' && request.position === ticket) || (purpose === 'cancel' && request.order === ticket)),
  );
}

/** A send for this ticket whose outcome is unknown: it may have taken effect, so it is not repeated. */
function isUndecided(attempt: TradeAttempt, ticket: number): boolean {
  return attempt.openIntents.some(({ request }) => request.position === ticket || request.order === ticket);
}
