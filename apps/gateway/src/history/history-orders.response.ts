import { ApiProperty } from '@nestjs/swagger';
import { keyedOrderRowFields, orderRowFields } from '@libs/records';
import { documented } from '../http/documented';
import { pageOf } from './rows-page';

/** The terminal's 24 fields of an order, its main times in UTC and its enumerations in words. */
export class OrderRowResponse extends documented(orderRowFields) {}

/** An order, pending or done, with the key it came from. */
export class KeyedOrderRow extends documented(keyedOrderRowFields) {}

export class HistoryOrdersResponse extends pageOf(KeyedOrderRow) {}

export class OrderFromTicketResponse extends KeyedOrderRow {
  @ApiProperty({ enum: [true], example: true })
  ok: true;
}

/** How many deals or orders a window has. */
export class HistoryTotalResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}
