import { ApiProperty } from '@nestjs/swagger';
import { bookFields, quoteRowFields, symbolListFields, symbolRowFields } from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';

export class SymbolRow extends documented(symbolListFields) {}

export class SymbolsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SymbolRow] })
  data: readonly SymbolRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

/** A symbol's full record. */
export class SymbolRecord extends documented(symbolRowFields) {}

export class SymbolRecordsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SymbolRecord] })
  data: readonly SymbolRecord[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

/** The 96 fields of the terminal's symbol record, and the time of its quote in UTC. */
export class SymbolInfoResponse extends documentedAnswer(symbolRowFields) {}

/** The 8 fields of the terminal's tick, its time in UTC, and its age. */
export class TickResponse extends documentedAnswer(quoteRowFields) {}

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
