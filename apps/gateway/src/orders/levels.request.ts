import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsNumber, IsOptional, IsPositive } from 'class-validator';
import type { FieldProblem } from '@libs/envelope';
import { priceOnGrid } from '../pre-trade/price-on-grid';
import { KeyedRequest } from './order.request';

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

/** A level cannot be set and removed at once. */
export function levelProblems(body: LevelsRequest): FieldProblem[] {
  return (['sl', 'tp'] as const)
    .filter((level) => body[level] != null && body[`clear_${level}`] === true)
    .map((level) => ({ field: level, problem: `cannot be given together with clear_${level}` }));
}

/**
 * The levels to be in force: as requested, or as they are; 0 is none.
 * @throws ApiError validation_error for a requested level that rounds to 0
 */
export function newLevels(
  current: { readonly sl: number; readonly tp: number },
  body: LevelsRequest,
  info: Parameters<typeof priceOnGrid>[2],
): { readonly sl: number; readonly tp: number } {
  const level = (name: 'sl' | 'tp'): number => {
    if (body[`clear_${name}`] === true) return 0;
    const asked = body[name];
    return asked == null ? current[name] : priceOnGrid(name, asked, info);
  };
  return { sl: level('sl'), tp: level('tp') };
}
