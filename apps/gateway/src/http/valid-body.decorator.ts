import { Body, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { bodyError, validationError } from '@libs/envelope';

/** The pipe reads a null body as an empty one, which would turn "nothing is set" into "no filter". */
class BodyPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (value === null) throw validationError({ field: 'body', problem: 'must be a JSON object, not null' });
    return super.transform(value, metadata);
  }
}

/**
 * Body of a trade route, checked against its class: unknown fields are refused, nothing is converted, and all problems
 * come at once. Bound to the parameter, not globally: reads take no part in its cost.
 */
const bodyPipe = new BodyPipe({
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  transform: true,
  exceptionFactory: bodyError,
});

export const ValidBody = (): ParameterDecorator => Body(bodyPipe);
