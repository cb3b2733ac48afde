import type { ValidationError } from 'class-validator';
import { validationError, type ApiError, type FieldProblem } from './api-error';

/** For ValidationPipe's `exceptionFactory`: one problem a broken constraint, fields by their path in the body. */
export function bodyError(errors: readonly ValidationError[]): ApiError {
  return validationError(...errors.flatMap((error) => problemsOf(error, '')));
}

function problemsOf(error: ValidationError, prefix: string): FieldProblem[] {
  const field = `${prefix}${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([constraint, message]) => ({
    field,
    problem: constraint === 'whitelistValidation' ? 'unknown field' : withoutField(message, error.property),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

/** class-validator starts its messages with the property, which stands in `field` already. */
function withoutField(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
