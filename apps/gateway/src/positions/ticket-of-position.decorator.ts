import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsPositive, Max, ValidateIf } from 'class-validator';

/** A position's ticket under the name of the lists, beside `position`. */
export function TicketOfPosition(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      example: 530218319,
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The position's ticket, instead of `position`; given both, they must match.",
    }),
    ValidateIf((_, ticket) => ticket !== undefined),
    IsInt(),
    IsPositive(),
    Max(Number.MAX_SAFE_INTEGER),
  );
}
