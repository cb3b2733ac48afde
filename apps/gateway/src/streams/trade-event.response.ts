import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { eventsPageFields, tradeEventFields, tradeEventSubjectFields } from '@libs/records';
import { DealRowResponse } from '../history/deals.response';
import { OrderRowResponse } from '../history/history-orders.response';
import { documented, documentedAnswer, optionallyDocumentedOn } from '../http/documented';
import { SignalEntry } from './signal.response';
import type { PositionRow, TradeEvent } from './trade-event';

/** One entry of the event log. */
export class TradeEventResponse
  extends optionallyDocumentedOn(documented(tradeEventFields), tradeEventSubjectFields)
  implements TradeEvent
{
  @ApiPropertyOptional({ type: [String], example: ['volume'], description: 'Fields that changed.' })
  changed?: readonly string[];

  @ApiPropertyOptional({
    example: true,
    description: 'False if a position or order is gone and the history does not show why.',
  })
  complete?: boolean;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Current or last known position; null if it was opened and closed between two snapshots.',
  })
  position?: PositionRow | null;

  @ApiPropertyOptional({ type: OrderRowResponse })
  order?: OrderRowResponse;

  @ApiPropertyOptional({ type: DealRowResponse })
  deal?: DealRowResponse;

  @ApiPropertyOptional({ type: [DealRowResponse], description: 'Deals that reduced the volume of the position.' })
  deals?: readonly DealRowResponse[];

  @ApiPropertyOptional({ type: SignalEntry, description: 'The alert, as GET /signals has it.' })
  signal?: SignalEntry;
}

export class EventsResponse extends documentedAnswer(eventsPageFields) {
  @ApiProperty({ type: [TradeEventResponse] })
  data: readonly TradeEventResponse[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}
