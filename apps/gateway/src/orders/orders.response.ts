import { ApiProperty } from '@nestjs/swagger';
import { OrderRowResponse } from '../history/history-orders.response';

/** A pending order, with the key it came from. */
export class PendingOrderRow extends OrderRowResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'my-bot-2026-01-05-0001',
    description: 'Idempotency key of the request that placed it, if this gateway did under one.',
  })
  client_order_id: string | null;
}

export class OrdersResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [PendingOrderRow] })
  data: readonly PendingOrderRow[];

  @ApiProperty({ example: 1 })
  total: number;
}
