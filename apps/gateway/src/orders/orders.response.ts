import { ApiProperty } from '@nestjs/swagger';
import { KeyedOrderRow } from '../history/history-orders.response';

export class OrdersResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [KeyedOrderRow] })
  data: readonly KeyedOrderRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}
