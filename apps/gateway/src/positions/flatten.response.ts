import { ApiProperty } from '@nestjs/swagger';
import { errorTypes, type ErrorType } from '@libs/envelope';
import { cancelledItemFields, closedItemFields } from '@libs/records';
import { documented } from '../http/documented';

/** A position that was closed among others. */
export class ClosedItem extends documented(closedItemFields) {}

/** A pending order that was cancelled among others. */
export class CancelledItem extends documented(cancelledItemFields) {}

/** A position or order that was not closed or cancelled, or of which that is not known. */
export class FailedItem {
  @ApiProperty({ enum: ['order', 'position'], example: 'position' })
  kind: 'order' | 'position';

  @ApiProperty({
    type: 'integer',
    example: 530218321,
    description: 'Of the position or order; 0 if what may be open cannot be read, with the reason in `error`.',
  })
  ticket: number;

  @ApiProperty({ example: 'EURUSD' })
  symbol: string;

  @ApiProperty({ enum: errorTypes, example: 'broker_rejected' })
  error_type: ErrorType;

  @ApiProperty({ example: 'the broker rejected the request: MARKET_CLOSED' })
  error: string;
}

/** The result of flattening. */
export class FlattenReport {
  @ApiProperty({ type: [CancelledItem] })
  cancelled: CancelledItem[];

  @ApiProperty({ type: [ClosedItem] })
  closed: ClosedItem[];

  @ApiProperty({ type: [FailedItem] })
  failed: FailedItem[];

  @ApiProperty({
    type: [FailedItem],
    description:
      'Sent, but the outcome is unknown: the broker may have executed them. GET /reconcile shows the result.',
  })
  unknown: FailedItem[];

  @ApiProperty({
    example: true,
    description: 'Nothing is left: no pending order, no position, and no request whose outcome is unknown.',
  })
  complete: boolean;
}
