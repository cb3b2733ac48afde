import { ApiProperty } from '@nestjs/swagger';
import { KeyedDealRow } from '../history/deals.response';
import { KeyedOrderRow } from '../history/history-orders.response';
import { PositionRow } from '../positions/positions.response';
import type { TradePurpose } from '../trade-journal/journal-records';

export const differenceKinds = [
  'intent_without_trace',
  'position_without_intent',
  'order_without_intent',
  'level_mismatch',
  'volume_mismatch',
] as const;

const purposes: readonly TradePurpose[] = [
  'open',
  'place_pending',
  'close',
  'close_partial',
  'modify_levels',
  'modify_order',
  'cancel',
];

/** One point at which the broker and the journal disagree. */
export class Difference {
  @ApiProperty({ enum: differenceKinds, example: 'position_without_intent' })
  kind: (typeof differenceKinds)[number];

  @ApiProperty({ example: 'position 530218319 did not come through this gateway' })
  message: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 530218319, description: 'Of the position or order.' })
  ticket: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'EURUSD' })
  symbol: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  intent_id: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'What of it differs: sl, tp or volume.' })
  field: string | null;

  @ApiProperty({ type: Number, nullable: true, example: null, description: 'By the journal.' })
  expected: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null, description: 'At the broker.' })
  actual: number | null;
}

/** One send whose outcome is not known yet. */
export class UnresolvedSend {
  @ApiProperty({ example: '6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10/0' })
  intent_id: string;

  @ApiProperty({ enum: purposes, example: 'open' })
  purpose: TradePurpose;

  @ApiProperty({ example: 'EURUSD' })
  symbol: string;

  @ApiProperty({ example: 0.1, description: 'Lots; 0 where the request has none.' })
  volume: number;

  @ApiProperty({ type: 'integer', nullable: true, example: null, description: 'Position that is closed or modified.' })
  position: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: null, description: 'Pending order that is changed.' })
  order: number | null;

  @ApiProperty({ type: 'integer', example: 7001 })
  magic: number;

  @ApiProperty({ example: '#1k2m3n4p5q' })
  comment: string;

  @ApiProperty({ example: 'IPC timeout', description: 'Why the outcome is not known.' })
  reason: string;

  @ApiProperty({
    example: false,
    description:
      'True when it is not looked up any more: what would prove the outcome has been overwritten or is gone.',
  })
  undecidable: boolean;
}

/** A trade request with such sends. */
export class UnresolvedRequest {
  @ApiProperty({ type: String, nullable: true, example: 'my-bot-2026-01-05-0001' })
  client_order_id: string | null;

  @ApiProperty({ example: '6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10' })
  request_id: string;

  @ApiProperty({ example: 'POST /order' })
  route: string;

  @ApiProperty({ example: '2026-01-05T10:00:00.000Z' })
  created_at: string;

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

  @ApiProperty({ type: [Difference], description: 'Where the broker and the journal disagree; empty: nowhere.' })
  differences: readonly Difference[];

  @ApiProperty({ type: [Difference], description: 'The same as `differences`.' })
  discrepancies: readonly Difference[];
}
