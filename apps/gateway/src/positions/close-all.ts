import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import type { TradeOrder, TradePosition } from '@libs/terminal-client';
import { CancelOrderService } from '../orders/cancel-order.service';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { ClosePositionService } from './close-position.service';
import type { CancelledItem, ClosedItem, FailedItem } from './flatten.response';

const deviationPoints = 20;
const atATime = 4;

/**
 * Closing and cancelling many, a few at a time, so that looking up the price of one fill does not hold up the next
 * send. A failure of one is noted, and the others go on.
 */
@Injectable()
export class CloseAll {
  private readonly logger = new Logger('trade');

  constructor(
    private readonly closing: ClosePositionService,
    private readonly cancelling: CancelOrderService,
  ) {}

  async positions(
    attempt: TradeAttempt,
    positions: readonly TradePosition[],
  ): Promise<{ closed: ClosedItem[]; failed: FailedItem[] }> {
    const closed: ClosedItem[] = [];
    const failed: FailedItem[] = [];
    await eachOf(positions, async (position) => {
      const { ticket, symbol } = position;
      try {
        const { closedVolume, remainingVolume, fill } = await this.closing.closeWhole(
          attempt,
          position,
          deviationPoints,
        );
        closed.push({ ticket, symbol, volume: closedVolume, price: fill.price, deal: fill.deal, profit: fill.profit });
        if (remainingVolume > 0) failed.push(this.failure('position', position, onlyInPart(remainingVolume)));
      } catch (error) {
        failed.push(this.failure('position', position, error));
      }
    });
    return { closed, failed };
  }

  async orders(
    attempt: TradeAttempt,
    orders: readonly TradeOrder[],
  ): Promise<{ cancelled: CancelledItem[]; failed: FailedItem[] }> {
    const cancelled: CancelledItem[] = [];
    const failed: FailedItem[] = [];
    await eachOf(orders, async (order) => {
      try {
        await this.cancelling.cancelLive(attempt, order);
        cancelled.push({ ticket: order.ticket, symbol: order.symbol });
      } catch (error) {
        failed.push(this.failure('order', order, error));
      }
    });
    return { cancelled, failed };
  }

  private failure(
    kind: FailedItem['kind'],
    { ticket, symbol }: { readonly ticket: number; readonly symbol: string },
    error: unknown,
  ): FailedItem {
    if (error instanceof ApiError) return { kind, ticket, symbol, error_type: error.errorType, error: error.message };
    this.logger.error({ err: error, kind, ticket }, 'closing failed by a bug');
    return { kind, ticket, symbol, error_type: 'internal_error', error: 'internal error' };
  }
}

function onlyInPart(remainingVolume: number): ApiError {
  return new ApiError('broker_rejected', `closed in part, ${remainingVolume} lots are left`);
}

async function eachOf<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
