import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DealRowResponse } from '../history/deals.response';
import { OrderRowResponse } from '../history/history-orders.response';
import type { PositionRow, TradeEvent } from './trade-event';

/** One entry of the event log. */
export class TradeEventResponse implements TradeEvent {
  @ApiProperty({ type: 'integer', example: 1795075200001, description: 'Dense: the next event has the next number.' })
  seq: number;

  @ApiProperty({ enum: ['position', 'order', 'deal', 'resync'], example: 'position' })
  event: 'position' | 'order' | 'deal' | 'resync';

  @ApiProperty({
    enum: ['opened', 'changed', 'partially_closed', 'closed', 'added', 'account_changed'],
    example: 'closed',
  })
  action: string;

  @ApiProperty({ example: '2026-01-05T10:00:00.250Z', description: 'When the gateway saw it, UTC.' })
  recorded_at: string;

  @ApiProperty({ type: 'integer', example: 100001 })
  login: number;

  @ApiProperty({ example: 'Simulator-Demo' })
  server: string;

  @ApiPropertyOptional({ type: 'integer', example: 530218319, description: 'Of the position, order or deal.' })
  ticket?: number;

  @ApiPropertyOptional({ example: 'EURUSD' })
  symbol?: string;

  @ApiPropertyOptional({ type: 'integer', example: 1000 })
  magic?: number;

  @ApiPropertyOptional({ type: [String], example: ['volume'], description: 'Fields that differ from before.' })
  changed?: readonly string[];

  @ApiPropertyOptional({
    example: true,
    description: 'False when something is gone and the history does not account for it.',
  })
  complete?: boolean;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'The position as it is, or as it was last seen; null for one that came and went between two looks.',
  })
  position?: PositionRow | null;

  @ApiPropertyOptional({ type: OrderRowResponse })
  order?: OrderRowResponse;

  @ApiPropertyOptional({ type: DealRowResponse })
  deal?: DealRowResponse;

  @ApiPropertyOptional({ type: [DealRowResponse], description: 'The deals that took volume out of the position.' })
  deals?: readonly DealRowResponse[];
}

export class EventsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [TradeEventResponse] })
  data: readonly TradeEventResponse[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', example: 1795075200000, description: 'The oldest event that is kept.' })
  first_seq: number;

  @ApiProperty({ type: 'integer', example: 1795075200001, description: 'The newest event.' })
  last_seq: number;

  @ApiProperty({
    type: 'integer',
    example: 1795075200001,
    description: 'What to ask for next: `since` of the next page.',
  })
  next_since: number;

  @ApiProperty({
    example: false,
    description:
      'True when events after `since` are no longer kept, or `since` is of another log: read the lists anew.',
  })
  resync: boolean;
}
