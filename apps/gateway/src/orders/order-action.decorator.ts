import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { AnyLetterCase } from '../http/letter-case.decorator';

const words = ['DEAL', 'PENDING'] as const;
/** The terminal's numbers of these two trade actions. */
const numbers = [1, 5] as const;

export type OrderAction = (typeof words)[number] | (typeof numbers)[number];

/** `action` of an order check, as clients of the open-source gateway send it; redundant, since `type` implies it. */
export function IsOrderAction(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      oneOf: [
        { type: 'string', enum: [...words] },
        { type: 'integer', enum: [...numbers] },
      ],
      example: 'DEAL',
      description: 'Accepted and ignored: it follows from `type`. DEAL (1) or PENDING (5), in any letter case.',
    }),
    IsOptional(),
    AnyLetterCase(words),
    IsIn([...words, ...numbers]),
  );
}
