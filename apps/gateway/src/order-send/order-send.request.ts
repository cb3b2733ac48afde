import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsString, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import { expirationsEndMs } from '@libs/order-drafts';
import { TradeAction } from '@libs/terminal-client';
import { KeyedRequest } from '../orders/order.request';

const actions = [
  TradeAction.DEAL,
  TradeAction.PENDING,
  TradeAction.SLTP,
  TradeAction.MODIFY,
  TradeAction.REMOVE,
  TradeAction.CLOSE_BY,
] as const;

/** A field that may be omitted, but not be null: JavaScript writes NaN as null, and 0 removes a level. */
const MayBeOmitted = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

function Price(options: ApiPropertyOptions): PropertyDecorator {
  const finite = { allowNaN: false, allowInfinity: false };
  return applyDecorators(
    ApiPropertyOptional({ type: 'number', minimum: 0, ...options }),
    MayBeOmitted(),
    IsNumber(finite),
    Min(0),
  );
}

function Whole(options: ApiPropertyOptions, largest = Number.MAX_SAFE_INTEGER): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: largest, ...options }),
    MayBeOmitted(),
    IsInt(),
    Min(0),
    Max(largest),
  );
}

/** Body of POST /order_send: a trade request in the terminal's own fields and numbers. An omitted field is 0 or empty. */
export class OrderSendRequest extends KeyedRequest {
  @ApiProperty({
    type: 'integer',
    enum: [...actions],
    example: TradeAction.DEAL,
    description:
      'DEAL 1 (a close with `position`), PENDING 5, SLTP 6, MODIFY 7, REMOVE 8, CLOSE_BY 10. Fields that the action does not have are ignored.',
  })
  @IsIn([...actions], {
    message: 'must be one of 1 (DEAL), 5 (PENDING), 6 (SLTP), 7 (MODIFY), 8 (REMOVE), 10 (CLOSE_BY)',
  })
  action: (typeof actions)[number];

  @Whole({
    example: 7001,
    description: "Of DEAL and PENDING. What closes or changes has the position's or order's own.",
  })
  magic?: number;

  @Whole({ example: 0, description: 'Ticket of the pending order, for MODIFY and REMOVE.' })
  order?: number;

  @ApiPropertyOptional({
    example: 'EURUSD',
    maxLength: 64,
    description:
      'Required for DEAL and PENDING without `position`, and for SLTP without it; else it must be the right one.',
  })
  @MayBeOmitted()
  @IsString()
  @MaxLength(64)
  symbol?: string;

  @Price({ example: 0.1, description: 'Lots, of DEAL and PENDING.' })
  volume?: number;

  @Price({ example: 1.17279, description: 'Of DEAL: 0 is the current quote.' })
  price?: number;

  @Price({ example: 0, description: 'Limit price of a stop-limit order.' })
  stoplimit?: number;

  @Price({ example: 1.09, description: 'Stop loss. 0 is none, and for SLTP and MODIFY removes it.' })
  sl?: number;

  @Price({ example: 1.12, description: 'Take profit. 0 is none, and for SLTP and MODIFY removes it.' })
  tp?: number;

  @Whole({ example: 20, description: 'Points, at most MAX_ORDER_DEVIATION.' })
  deviation?: number;

  @Whole(
    {
      example: 0,
      description: 'BUY 0, SELL 1, BUY_LIMIT 2 to SELL_STOP_LIMIT 7. A close has the type opposite to its position.',
    },
    7,
  )
  type?: number;

  @Whole({ example: 0, description: 'FOK 0, IOC 1, RETURN 2; of PENDING also BOC 3. Of DEAL and PENDING.' }, 3)
  type_filling?: number;

  @Whole({ example: 0, description: 'GTC 0, DAY 1, SPECIFIED 2 or SPECIFIED_DAY 3; of PENDING and MODIFY.' }, 3)
  type_time?: number;

  @Whole(
    { example: 0, description: "Seconds of the broker server's clock, with SPECIFIED and SPECIFIED_DAY." },
    expirationsEndMs / 1_000 - 1,
  )
  expiration?: number;

  @ApiPropertyOptional({
    example: 'ema cross',
    maxLength: 31,
    description: 'Its first 27 characters are sent to the terminal. Omitted or empty: a tag of the key.',
  })
  @MayBeOmitted()
  @IsString()
  @MaxLength(31)
  comment?: string;

  @Whole({ example: 0, description: 'Ticket of the position: of a DEAL that closes it, of SLTP and of CLOSE_BY.' })
  position?: number;

  @Whole({ example: 0, description: 'Ticket of the opposite position, for CLOSE_BY.' })
  position_by?: number;
}
