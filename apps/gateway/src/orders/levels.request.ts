import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsNumber, IsOptional, IsPositive } from 'class-validator';
import type { FieldProblem } from '@libs/envelope';
import { levelNotPositive } from '@libs/order-drafts';
import { KeyedRequest } from './order.request';

const finite = { allowNaN: false, allowInfinity: false };
const useClear = (level: 'sl' | 'tp') => ({
  message: `${level} ${levelNotPositive(level)}`,
});

/** The levels of a modification: an omitted level is kept, and only a clear flag removes one. */
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

/** A level cannot be set and removed at once. */
export function levelProblems(body: LevelsRequest): FieldProblem[] {
  return (['sl', 'tp'] as const)
    .filter((level) => body[level] != null && body[`clear_${level}`] === true)
    .map((level) => ({ field: level, problem: `cannot be given together with clear_${level}` }));
}

/** The levels that a change leaves as they are. */
export function levelsKeptBy(body: LevelsRequest): ('sl' | 'tp')[] {
  return (['sl', 'tp'] as const).filter((level) => body[level] == null && body[`clear_${level}`] !== true);
}
