import { ApiProperty } from '@nestjs/swagger';
import { keyedOrderRowFields, orderRowFields } from '@libs/records';
import { documented } from '../http/documented';

/** The terminal's 24 fields of an order, its main times in UTC and its enumerations in words. */
export class OrderRowResponse extends documented(orderRowFields) {}

/** An order, pending or done, with the key it came from. */
export class KeyedOrderRow extends documented(keyedOrderRowFields) {}

export class HistoryOrdersResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyedOrderRow] })
  data: readonly KeyedOrderRow[];

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

export class OrderFromTicketResponse extends KeyedOrderRow {
  @ApiProperty({ enum: [true], example: true })
  ok: true;
}
