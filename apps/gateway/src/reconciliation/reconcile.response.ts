import { ApiProperty } from '@nestjs/swagger';
import { differenceFields, unresolvedRequestFields, unresolvedSendFields } from '@libs/records';
import { documented } from '../http/documented';
import { KeyedDealRow } from '../history/deals.response';
import { KeyedOrderRow } from '../history/history-orders.response';
import { PositionRow } from '../positions/positions.response';

/** One point at which the broker and the journal disagree. */
export class Difference extends documented(differenceFields) {}

/** One send whose outcome is not known yet. */
export class UnresolvedSend extends documented(unresolvedSendFields) {}

/** A trade request with such sends. */
export class UnresolvedRequest extends documented(unresolvedRequestFields) {
  @ApiProperty({ type: [UnresolvedSend] })
  sends: UnresolvedSend[];
}

export class ReconcileResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: '2026-01-05T10:00:00.000Z', description: 'When the broker was read, UTC.' })
  as_of: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 7001, description: 'The filter; null: all.' })
  magic: number | null;

  @ApiProperty({ type: [PositionRow] })
  positions: readonly PositionRow[];

  @ApiProperty({ type: [KeyedOrderRow] })
  orders: readonly KeyedOrderRow[];

  @ApiProperty({ type: [KeyedDealRow] })
  deals: readonly KeyedDealRow[];

  @ApiProperty({ type: [UnresolvedRequest], description: 'Trade requests whose outcome is still unknown.' })
  unresolved: readonly UnresolvedRequest[];

  @ApiProperty({ type: [Difference], description: 'Differences between the broker and the journal.' })
  differences: readonly Difference[];

  @ApiProperty({ type: [Difference], description: 'The same as `differences`.' })
  discrepancies: readonly Difference[];
}
