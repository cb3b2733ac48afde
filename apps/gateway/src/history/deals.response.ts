import { ApiProperty } from '@nestjs/swagger';
import { dealRowFields, keyedDealRowFields } from '@libs/records';
import { documented } from '../http/documented';

/** The terminal's 18 fields of a deal, its time in UTC and its enumerations in words. */
export class DealRowResponse extends documented(dealRowFields) {}

/** A deal, with the key it came from. */
export class KeyedDealRow extends documented(keyedDealRowFields) {}

export class DealsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyedDealRow] })
  data: readonly KeyedDealRow[];

  @ApiProperty({ type: 'integer', example: 1, description: 'Rows of this answer.' })
  total: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Value of `cursor` for the next page; null: there are no more rows.',
  })
  next_cursor: string | null;
}
