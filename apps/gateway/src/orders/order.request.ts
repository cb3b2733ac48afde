import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsNumber, IsOptional, IsPositive, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import type { OrderTime } from '@libs/terminal-client';
import { acceptableKey } from '../http/idempotency-key';
import { AnyLetterCase } from '../http/letter-case.decorator';
import { instantForms, IsInstant } from '../server-time/utc-instant';
import { IsSymbolName } from './symbol-name.decorator';

/** Order types in the terminal's spelling. */
export const orderTypeWords = [
  'BUY',
  'SELL',
  'BUY_LIMIT',
  'SELL_LIMIT',
  'BUY_STOP',
  'SELL_STOP',
  'BUY_STOP_LIMIT',
  'SELL_STOP_LIMIT',
] as const;
export type OrderTypeWord = (typeof orderTypeWords)[number];

const fillingWords = ['FOK', 'IOC', 'RETURN', 'BOC'] as const;
const fillingNumbers = [0, 1, 2, 3] as const;
export type FillingWord = (typeof fillingWords)[number];

/** The largest magic that a JSON number holds exactly. */
const largestMagic = Number.MAX_SAFE_INTEGER;
const finite = { allowNaN: false, allowInfinity: false };

/** A key in the body, instead of the Idempotency-Key header. */
export class KeyedRequest {
  @ApiPropertyOptional({
    example: 'my-bot-2026-01-05-0001',
    minLength: 1,
    maxLength: 128,
    description: 'The idempotency key, as an alternative to the Idempotency-Key header; given both, they must match.',
  })
  @IsOptional()
  @IsString()
  @Matches(acceptableKey, {
    message: 'client_order_id must be 1 to 128 printable ASCII characters, not all spaces, not . or ..',
  })
  client_order_id?: string;
}

/** What a request in the terminal's form says of the end of a pending order, besides its time. */
export interface TimeType {
  readonly timeType?: OrderTime;
}

/** Body of POST /order and POST /order_check. */
export class OrderRequest extends KeyedRequest {
  @ApiProperty({ example: 'EURUSD', maxLength: 64, description: 'Instrument name; subject to SYMBOL_WHITELIST.' })
  @IsSymbolName()
  symbol: string;

  @ApiProperty({ example: 0.1, description: "Lots, on the symbol's volume grid; at most MAX_ORDER_VOLUME." })
  @IsNumber(finite)
  @IsPositive()
  volume: number;

  @ApiProperty({ enum: orderTypeWords, example: 'BUY', description: 'In any letter case.' })
  @AnyLetterCase(orderTypeWords)
  @IsIn(orderTypeWords)
  type: OrderTypeWord;

  @ApiPropertyOptional({
    example: 1.1,
    description:
      'Requested price of a market order (the current quote when omitted); trigger or limit price of a pending one, ' +
      'where it is required. At most MAX_PRICE_DEVIATION_PCT percent from the market.',
  })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive()
  price?: number;

  @ApiPropertyOptional({ example: 1.099, description: 'Limit price of a stop-limit order; required there only.' })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive()
  stoplimit?: number;

  @ApiPropertyOptional({ example: 1.09, minimum: 0, description: 'Stop loss, an absolute price; omitted or 0: none.' })
  @IsOptional()
  @IsNumber(finite)
  @Min(0)
  sl?: number;

  @ApiPropertyOptional({
    example: 1.12,
    minimum: 0,
    description: 'Take profit, an absolute price; omitted or 0: none.',
  })
  @IsOptional()
  @IsNumber(finite)
  @Min(0)
  tp?: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 20,
    minimum: 0,
    description:
      'Maximum slippage in points, at most MAX_ORDER_DEVIATION; for Instant and Request execution. Omitted: 20, or ' +
      'MAX_ORDER_DEVIATION if that is less.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  deviation?: number;

  @ApiPropertyOptional({
    type: 'integer',
    example: 7001,
    minimum: 0,
    maximum: largestMagic,
    description: "The strategy's number; without one it is derived from the idempotency key.",
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(largestMagic)
  magic?: number;

  @ApiPropertyOptional({
    example: 'ema cross',
    maxLength: 31,
    description: 'Free text; its first 27 characters are sent to the terminal. Omitted: a tag of the key.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(31)
  comment?: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', enum: [...fillingWords] },
      { type: 'integer', enum: [...fillingNumbers] },
    ],
    example: 'FOK',
    description:
      "FOK 0, IOC 1, RETURN 2 or BOC 3 (book or cancel, for limits on an exchange), in any letter case; omitted: what the symbol's " +
      'execution mode requires.',
  })
  @IsOptional()
  @AnyLetterCase(fillingWords)
  @IsIn([...fillingWords, ...fillingNumbers])
  type_filling?: FillingWord | (typeof fillingNumbers)[number];

  @ApiPropertyOptional({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'integer' }],
    example: '2026-12-31T21:00:00Z',
    description: `Good till this instant, for pending orders: ${instantForms}.`,
  })
  @IsOptional()
  @IsInstant()
  expiration?: string | number;
}
