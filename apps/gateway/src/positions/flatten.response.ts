import { ApiProperty } from '@nestjs/swagger';
import { errorTypes, type ErrorType } from '@libs/envelope';

/** A position that was closed among others. */
export class ClosedItem {
  @ApiProperty({ type: 'integer', example: 530218319, description: 'Ticket of the position.' })
  ticket: number;

  @ApiProperty({ example: 'EURUSD' })
  symbol: string;

  @ApiProperty({ example: 0.1, description: 'Lots closed.' })
  volume: number;

  @ApiProperty({ type: Number, nullable: true, example: 1.17264, description: 'Null while it is not known.' })
  price: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 513149059 })
  deal: number | null;

  @ApiProperty({ type: Number, nullable: true, example: -22.35, description: 'Deposit currency; null while not seen.' })
  profit: number | null;
}

/** A pending order that was cancelled among others. */
export class CancelledItem {
  @ApiProperty({ type: 'integer', example: 530218320 })
  ticket: number;

  @ApiProperty({ example: 'EURUSD' })
  symbol: string;
}

/** A position or order that was not closed or cancelled, or of which that is not known. */
export class FailedItem {
  @ApiProperty({ enum: ['order', 'position'], example: 'position' })
  kind: 'order' | 'position';

  @ApiProperty({ type: 'integer', example: 530218321 })
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
