import type { Refusal } from '../core/exit-retry';
import type { IntentStep, Notice } from '../core/intent-lifecycle';
import { reasonOf, rejection } from '../core/rejection';
import type { IntentRecord } from '../state/records';
import type { DeskSurroundings } from './desk-surroundings';

/** Counts and logs what happens to the requests of one strategy, and notifies the strategy. */
export class RequestNotices {
  /** Requests by outcome. Those blocked by the kill switch and retries of refused exits are counted separately. */
  readonly counts = { submitted: 0, rejected: 0, blocked: 0, unknown: 0, retried: 0 };

  constructor(private readonly around: Pick<DeskSurroundings, 'log' | 'events'>) {}

  report({ life: { record }, notices }: Pick<IntentStep, 'life' | 'notices'>): void {
    for (const notice of notices) this.reportOne(record, notice);
  }

  private reportOne({ key, broker: gateway, intentId, call }: IntentRecord, notice: Notice): void {
    const { log, events } = this.around;
    switch (notice.type) {
      case 'denied':
        // The order desk denies the intent.
        return;
      case 'unknown':
        this.counts.unknown++;
        return log.warning('the outcome of a request is unknown', { key, reason: notice.reason });
      case 'held':
        return log.error('a request cannot be resolved', { key, gateway, reason: notice.reason });
      case 'done':
        this.counts.submitted++;
        log.info('done', { key, path: call.path, ticket: notice.order });
        return events.emit({ type: 'done', intentId, key, ticket: notice.order });
      case 'refused':
        return log.warning(notice.refusal.kind, { key: notice.key, reason: reasonOf(notice.refusal) });
      case 'retrying':
        return log.warning('an exit will be retried', { intent: intentId, inMs: notice.waitMs });
      case 'retried':
        this.counts.retried++;
        return;
      case 'rejected':
        return this.reject(intentId, notice.refusal, notice.failedExit);
    }
  }

  private reject(intentId: string, refusal: Refusal, ticket: number | null): void {
    const reject = rejection(intentId, refusal);
    this.counts[refusal.kind === 'blocked' ? 'blocked' : 'rejected']++;
    if (ticket !== null) this.around.log.error('a position could not be closed', { ticket, reason: reject.reason });
    this.around.events.emit({ type: 'rejected', reject });
  }
}

/** Why a request was not sent; null if it was. */
export function denialOf({ notices }: Pick<IntentStep, 'notices'>): string | null {
  const denied = notices.find(({ type }) => type === 'denied');
  return denied?.type === 'denied' ? denied.reason : null;
}
