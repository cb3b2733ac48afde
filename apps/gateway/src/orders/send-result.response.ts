import { ApiProperty } from '@nestjs/swagger';
import { retcodeName, type OrderSendResult } from '@libs/terminal-client';

/** `result` of a mutation: what `order_send` answered. Null where the server did not say. */
export class SendResultResponse {
  @ApiProperty({ type: 'integer', example: 10009, description: "The trade server's return code." })
  retcode: number;

  @ApiProperty({ example: 'DONE' })
  retcode_name: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 507962919, description: 'Ticket of the deal.' })
  deal: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 530218319, description: 'Ticket of the order.' })
  order: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 0.1, description: 'Executed volume in lots.' })
  volume: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1.17279,
    description: 'Price of the deal; null while it is not known, never 0.',
  })
  price: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 1.17264 })
  bid: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 1.17279 })
  ask: number | null;

  @ApiProperty({ example: 'Request executed' })
  comment: string;

  @ApiProperty({ type: 'integer', example: 1 })
  request_id: number;

  @ApiProperty({ type: 'integer', example: 0, description: "The exchange's or bridge's own code." })
  retcode_external: number;
}

/** A server's 0 means that it did not say. */
export function sendResultBody(result: OrderSendResult): SendResultResponse {
  return {
    retcode: result.retcode,
    retcode_name: retcodeName(result.retcode),
    deal: result.deal || null,
    order: result.order || null,
    volume: result.volume || null,
    price: result.price || null,
    bid: result.bid || null,
    ask: result.ask || null,
    comment: result.comment,
    request_id: result.request_id,
    retcode_external: result.retcode_external,
  };
}
