import type { ValidationError } from 'class-validator';
import { validationError, type ApiError, type FieldProblem } from './api-error';

/**
 * Constraints on a value's type. A value of another type violates most other constraints as well, which adds no
 * information.
 */
const typeConstraints = ['isNumber', 'isInt', 'isString', 'isBoolean', 'isArray', 'isObject', 'isEnum', 'isIn'];

/**
 * For ValidationPipe's `exceptionFactory`: fields by their path in the body, one problem per violated constraint. For a
 * value of the wrong type, only that problem is reported.
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

/** class-validator starts its messages with the property, which `field` already contains. */
function withoutField(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
