import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { validationError } from '@libs/envelope';
import { AnyLetterCase } from '../http/letter-case.decorator';
import { KeyedRequest } from '../orders/order.request';
import { TicketOfPosition } from './ticket-of-position.decorator';
import { IsSymbolName } from '../orders/symbol-name.decorator';

const sideWords = ['BUY', 'SELL'] as const;
const closeAllWords = ['all', ...sideWords] as const;

/** Options of a close. */
class ClosingRequest extends KeyedRequest {
  @ApiPropertyOptional({
    type: 'integer',
    example: 20,
    minimum: 0,
    description: 'Maximum slippage in points; omitted: 20, or MAX_ORDER_DEVIATION if that is less.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  deviation?: number;

  @ApiPropertyOptional({ example: 'take it', maxLength: 31 })
  @IsOptional()
  @IsString()
  @MaxLength(31)
  comment?: string;
}

/** Body of POST /close_position. */
export class ClosePositionRequest extends ClosingRequest {
  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', example: 530218319 },
      {
        type: 'object',
        required: ['ticket'],
        properties: { ticket: { type: 'integer' }, volume: { type: 'number' } },
        additionalProperties: true,
      },
    ],
    example: { ticket: 530218319 },
    description:
      "The position's ticket, `{ticket, volume}`, or a whole row of GET /get_positions. `{ticket, volume}` closes that " +
      'volume. A row, which is any object with more fields than these two, closes all that is open now: the volume in ' +
      'it is only what was open when the row was read. This or `ticket` is required.',
  })
  @ValidateIf(({ ticket }: ClosePositionRequest) => ticket === undefined)
  @IsDefined({ message: 'position is required: give the ticket as position or as ticket' })
  position?: unknown;

  @TicketOfPosition()
  ticket?: number;

  @ApiPropertyOptional({
    example: 0.05,
    description:
      "Lots to close, at most the position's. Omitted: all that is open. Limits a row as well. A null is rejected, " +
      'because JavaScript writes NaN as null.',
  })
  @ValidateIf((_, volume) => volume !== undefined)
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  volume?: number;
}

/** Body of POST /position_close_partial. */
export class ClosePartialRequest extends ClosingRequest {
  @TicketOfPosition()
  ticket?: number;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', example: 530218319 },
      { type: 'object', required: ['ticket'], properties: { ticket: { type: 'integer' } }, additionalProperties: true },
    ],
    example: 530218319,
    description: "The position's ticket, or an object with it, instead of `ticket`. One of the two is required.",
  })
  @ValidateIf(({ ticket }: ClosePartialRequest) => ticket === undefined)
  @IsDefined({ message: 'position is required: give the ticket as position or as ticket' })
  position?: unknown;

  @ApiProperty({ example: 0.05, description: "Lots, strictly below the position's." })
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @IsPositive()
  volume: number;

  @ApiPropertyOptional({ example: 'EURUSD', description: "The position's symbol; rejected if it differs." })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  symbol?: string;

  @ApiPropertyOptional({
    enum: sideWords,
    description: "The position's type, in any letter case; rejected if it differs.",
  })
  @IsOptional()
  @AnyLetterCase(sideWords)
  @IsIn(sideWords)
  type?: 'BUY' | 'SELL';
}

/** Body of POST /close_all_positions. An omitted field does not filter; see {@link requireRealFilters}. */
export class CloseAllRequest extends KeyedRequest {
  @ApiPropertyOptional({
    enum: closeAllWords,
    example: 'all',
    // A default would make the member required in some generated clients.
    description: 'In any letter case; omitted: all.',
  })
  @IsOptional()
  @AnyLetterCase(closeAllWords)
  @IsIn(closeAllWords)
  order_type?: 'all' | 'BUY' | 'SELL';

  @ApiPropertyOptional({ type: 'integer', example: 7001, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  magic?: number;

  @ApiPropertyOptional({ example: 'EURUSD' })
  @IsOptional()
  @IsSymbolName()
  symbol?: string;
}

/**
 * Rejects null filters: the client meant to filter, and without the filter every position would be closed.
 * @throws ApiError validation_error naming each of them
 */
export function requireRealFilters(body: CloseAllRequest): void {
  const unset = (['order_type', 'magic', 'symbol'] as const).filter((field) => body[field] === null);
  if (unset.length === 0) return;
  throw validationError(
    ...unset.map((field) => ({ field, problem: `must not be null; omit it to close positions of any ${field}` })),
  );
}
