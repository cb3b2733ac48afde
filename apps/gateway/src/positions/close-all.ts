import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { lotsText, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { CancelOrderService } from '../orders/cancel-order.service';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { unknownOutcome } from '../trade-journal/unknown-outcome.error';
import { doubtOf } from './close-answer';
import { ClosePositionService } from './close-position.service';
import type { CancelledItem, ClosedItem, FailedItem } from './flatten.response';

const atATime = 4;

/** Outcomes of closing many positions. */
export interface ManyClosed {
  readonly closed: ClosedItem[];
  /** For these, nothing more was executed; one with `unknown_outcome` was accepted by the broker, and may be. */
  readonly failed: FailedItem[];
  /** The broker may have closed these. */
  readonly unknown: FailedItem[];
}

/** Outcomes of cancelling many orders. */
export interface ManyCancelled {
  readonly cancelled: CancelledItem[];
  readonly failed: FailedItem[];
  readonly unknown: FailedItem[];
}

/**
 * Closes and cancels many, a few at a time, so that a look-up of one fill's price does not delay the next send. A
 * failure is recorded, and the rest continues.
 */
@Injectable()
export class CloseAll {
  private readonly logger = new Logger('trade');

  constructor(
    private readonly closing: ClosePositionService,
    private readonly cancelling: CancelOrderService,
  ) {}

  async positions(attempt: TradeAttempt, positions: readonly TradePosition[]): Promise<ManyClosed> {
    const many: ManyClosed = { closed: [], failed: [], unknown: [] };
    const { closed, failed } = many;
    await eachOf(positions, async (position) => {
      const { ticket, symbol } = position;
      try {
        const close = await this.closing.closeWhole(attempt, position);
        const doubt = doubtOf(close);
        if (doubt !== null) {
          failed.push(this.failure('position', position, doubt));
          return;
        }
        const { closedVolume, remainingVolume, fill } = close;
        closed.push({ ticket, symbol, volume: closedVolume, price: fill.price, deal: fill.deal, profit: fill.profit });
        if (remainingVolume > 0) failed.push(this.failure('position', position, onlyInPart(remainingVolume)));
      } catch (error) {
        this.noteFailure(many, attempt, 'position', position, error);
      }
    });
    return many;
  }

  async orders(attempt: TradeAttempt, orders: readonly TradeOrder[]): Promise<ManyCancelled> {
    const many: ManyCancelled = { cancelled: [], failed: [], unknown: [] };
    await eachOf(orders, async (order) => {
      try {
        await this.cancelling.cancelLive(attempt, order);
        many.cancelled.push({ ticket: order.ticket, symbol: order.symbol });
      } catch (error) {
        this.noteFailure(many, attempt, 'order', order, error);
      }
    });
    return many;
  }

  /** After its send, only a rejection proves that nothing was done; a bug of the gateway proves nothing. */
  private noteFailure(
    { failed, unknown }: Pick<ManyClosed, 'failed' | 'unknown'>,
    attempt: TradeAttempt,
    kind: FailedItem['kind'],
    record: Parameters<CloseAll['failure']>[1],
    error: unknown,
  ): void {
    const item = this.failure(kind, record, error);
    if (item.error_type === 'unknown_outcome') {
      unknown.push(item);
    } else if (!(error instanceof ApiError) && mayBeDone(attempt, kind, record.ticket)) {
      const { errorType, message } = unknownOutcome('the gateway failed after the send', attempt);
      unknown.push({ ...item, error_type: errorType, error: message });
    } else {
      failed.push(item);
    }
  }

  private failure(
    kind: FailedItem['kind'],
    { ticket, symbol }: { readonly ticket: number; readonly symbol: string },
    error: unknown,
  ): FailedItem {
    if (error instanceof ApiError) return { kind, ticket, symbol, error_type: error.errorType, error: error.message };
    this.logger.error({ err: error, kind, ticket }, 'internal error while a position was closed');
    return { kind, ticket, symbol, error_type: 'internal_error', error: 'internal error' };
  }
}

/** Whether a send for it was not rejected. */
function mayBeDone(attempt: TradeAttempt, kind: FailedItem['kind'], ticket: number): boolean {
  return [...attempt.intents.values()].some(
    ({ request, outcome }) =>
      (kind === 'position' ? request.position : request.order) === ticket &&
      outcome.kind !== 'rejected' &&
      outcome.kind !== 'not_sent',
  );
}

/** The failure of a partially closed position. */
export function onlyInPart(remainingVolume: number): ApiError {
  return new ApiError(
    'broker_rejected',
    `partially closed: ${lotsText(remainingVolume, 'lot remains', 'lots remain')} open`,
  );
}

async function eachOf<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
