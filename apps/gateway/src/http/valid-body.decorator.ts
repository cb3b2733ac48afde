import { Body, ValidationPipe, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { validationError } from '@libs/envelope';
import { bodyError } from './body-problems';

/** The validation pipe takes any other body for an empty object, which would mean "no filter". */
class BodyPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const other = otherThanObject(value);
    if (other !== null) throw validationError({ field: 'body', problem: `must be a JSON object, not ${other}` });
    return super.transform(value, metadata);
  }
}

/** What a body is that is there and no object; null for any other. */
function otherThanObject(value: unknown): string | null {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return value === undefined || typeof value === 'object' ? null : `a ${typeof value}`;
}

/**
 * Body of a trade route, validated by its class: unknown fields are rejected, nothing is converted, and all problems
 * are reported together. It is bound to the parameter instead of globally, so that reads do not pay for it.
 */
const bodyPipe = new BodyPipe({
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  transform: true,
  exceptionFactory: bodyError,
});

export const ValidBody = (): ParameterDecorator => Body(bodyPipe);

/** A body of a route that has no fields: none, or an empty object. */
class NoFieldsPipe implements PipeTransform {
  transform(value: unknown): unknown {
    if (value === undefined) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw validationError({ field: 'body', problem: 'must be empty or {}: this route has no fields' });
    }
    const problem = 'unknown field; this route has none';
    const problems = Object.keys(value).map((field) => ({ field, problem }));
    if (problems.length > 0) throw validationError(...problems);
    return value;
  }
}

export const NoFields = (): ParameterDecorator => Body(new NoFieldsPipe());
