import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';

/** A field that names a symbol. */
export function IsSymbolName(): PropertyDecorator {
  return applyDecorators(IsString(), Matches(/\S/, { message: '$property must not be blank' }), MaxLength(64));
}
