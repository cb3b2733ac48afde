import { ApiProperty } from '@nestjs/swagger';
import { bookFields } from '@libs/records';
import { documented } from '../http/documented';

/** A row of the market depth. */
export class BookRow extends documented(bookFields) {}

/** The 200 of GET /market_book/{symbol}. */
export class MarketBookResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [BookRow] })
  data: readonly BookRow[];

  @ApiProperty({ type: 'integer', example: 10 })
  total: number;
}
