import type { ValidationError } from 'class-validator';
import { validationError, type ApiError, type FieldProblem } from './api-error';

/** Constraints on a value's type. A value of another type breaks most other constraints too, which says nothing more. */
const typeConstraints = ['isNumber', 'isInt', 'isString', 'isBoolean', 'isArray', 'isObject', 'isEnum', 'isIn'];

/**
 * For ValidationPipe's `exceptionFactory`: fields by their path in the body, one problem per broken constraint. A value
 * of the wrong type has that problem alone.
 */
export function bodyError(errors: readonly ValidationError[]): ApiError {
  return validationError(...errors.flatMap((error) => problemsOf(error, '')));
}

function problemsOf(error: ValidationError, prefix: string): FieldProblem[] {
  const field = `${prefix}${error.property}`;
  const broken = Object.entries(error.constraints ?? {});
  const wrongType = broken.find(([constraint]) => typeConstraints.includes(constraint));
  const own = (wrongType ? [wrongType] : broken).map(([constraint, message]) => ({
    field,
    problem: constraint === 'whitelistValidation' ? 'unknown field' : withoutField(message, error.property),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

/** class-validator starts its messages with the property, which stands in `field` already. */
function withoutField(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
