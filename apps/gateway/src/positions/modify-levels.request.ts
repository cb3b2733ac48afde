import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsDefined, IsNumber, IsOptional, IsPositive } from 'class-validator';
import { validationError, type FieldProblem } from '@libs/envelope';
import { KeyedRequest } from '../orders/order.request';

const finite = { allowNaN: false, allowInfinity: false };
const useClear = (level: 'sl' | 'tp') => ({
  message: `${level} must be a positive number; clear_${level} removes the level`,
});

/** The levels of a modification: what is omitted is kept, and only a clear flag removes. */
export class LevelsRequest extends KeyedRequest {
  @ApiPropertyOptional({ example: 1.09, description: 'New stop loss, an absolute price; omitted: kept.' })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive(useClear('sl'))
  sl?: number;

  @ApiPropertyOptional({ example: 1.12, description: 'New take profit, an absolute price; omitted: kept.' })
  @IsOptional()
  @IsNumber(finite)
  @IsPositive(useClear('tp'))
  tp?: number;

  @ApiPropertyOptional({ example: false, description: 'true removes the stop loss.' })
  @IsOptional()
  @IsBoolean()
  clear_sl?: boolean;

  @ApiPropertyOptional({ example: false, description: 'true removes the take profit.' })
  @IsOptional()
  @IsBoolean()
  clear_tp?: boolean;
}

/** Body of POST /modify_sl_tp. */
export class ModifyLevelsRequest extends LevelsRequest {
  @ApiProperty({
    oneOf: [
      { type: 'integer', example: 530218319 },
      { type: 'object', required: ['ticket'], properties: { ticket: { type: 'integer' } }, additionalProperties: true },
    ],
    example: 530218319,
    description: "The position's ticket, or an object with it.",
  })
  @IsDefined()
  position: unknown;
}

/** A level cannot be set and removed at once. */
export function levelProblems(body: LevelsRequest): FieldProblem[] {
  return (['sl', 'tp'] as const)
    .filter((level) => body[level] != null && body[`clear_${level}`] === true)
    .map((level) => ({ field: level, problem: `cannot be given together with clear_${level}` }));
}

/** @throws ApiError validation_error when nothing is asked for, or the opposite of itself */
export function requireLevelChange(body: LevelsRequest): void {
  const problems = levelProblems(body);
  if (problems.length > 0) throw validationError(...problems);
  if (body.sl == null && body.tp == null && body.clear_sl !== true && body.clear_tp !== true) {
    throw validationError({ field: 'sl', problem: 'give at least one of sl, tp, clear_sl: true, clear_tp: true' });
  }
}
