import { Body, ValidationPipe } from '@nestjs/common';
import { bodyError } from '@libs/envelope';

/**
 * Body of a trade route, checked against its class: unknown fields are refused, nothing is converted, and all problems
 * come at once. Bound to the parameter, not globally: reads take no part in its cost.
 */
const bodyPipe = new ValidationPipe({
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  transform: true,
  exceptionFactory: bodyError,
});

export const ValidBody = (): ParameterDecorator => Body(bodyPipe);
