import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsNumber, IsOptional, IsPositive } from 'class-validator';
import { validationError, type FieldProblem } from '@libs/envelope';
import { instantForms, IsInstant } from '../server-time/utc-instant';
import { LevelsRequest, levelProblems } from './levels.request';

const finite = { allowNaN: false, allowInfinity: false };

/** Body of PUT /orders/{ticket}; omitted fields are kept. */
export class ModifyOrderRequest extends LevelsRequest {
  @ApiPropertyOptional({ example: 1.05, description: 'New price; omitted: kept.' })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive()
  price?: number;

  @ApiPropertyOptional({ example: 1.049, description: 'New limit price of a stop-limit order; omitted: kept.' })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive()
  stoplimit?: number;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'integer' }],
    example: '2026-12-31T21:00:00Z',
    description: `New expiration: ${instantForms}. Omitted: kept.`,
  })
  @IsOptional()
  @IsInstant()
  expiration?: string | number;

  @ApiPropertyOptional({ example: false, description: 'true removes the expiration: good till cancelled.' })
  @IsOptional()
  @IsBoolean()
  clear_expiration?: boolean;
}

/** @throws ApiError validation_error if the body changes nothing or contradicts itself */
export function requireOrderChange(body: ModifyOrderRequest): void {
  const problems: FieldProblem[] = levelProblems(body);
  if (body.expiration != null && body.clear_expiration === true) {
    problems.push({ field: 'expiration', problem: 'cannot be given together with clear_expiration' });
  }
  if (problems.length > 0) throw validationError(...problems);
  const { price, stoplimit, sl, tp, expiration, clear_sl, clear_tp, clear_expiration } = body;
  const isChange =
    [price, stoplimit, sl, tp, expiration].some((value) => value != null) ||
    [clear_sl, clear_tp, clear_expiration].includes(true);
  if (!isChange) {
    throw validationError({
      field: 'price',
      problem: 'give at least one of price, stoplimit, sl, tp, expiration, clear_sl, clear_tp, clear_expiration',
    });
  }
}
