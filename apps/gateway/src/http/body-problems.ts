import { getMetadataStorage, type ValidationError } from 'class-validator';
import { suggestion } from '@libs/command-line';
import { validationError, type ApiError, type FieldProblem } from '@libs/envelope';

/** The constraints on a value's type, with its name and its JavaScript type. */
const types: Readonly<Record<string, readonly [name: string, type: string]>> = {
  isNumber: ['a number', 'number'],
  isInt: ['an integer', 'number'],
  isString: ['a string', 'string'],
  isBoolean: ['true or false', 'boolean'],
  isArray: ['an array', 'array'],
  isObject: ['an object', 'object'],
};

/** Constraints that contain all others of their field. */
const whole = ['isIn', 'isEnum', 'isInstant'];

/**
 * For ValidationPipe's `exceptionFactory`: fields by their path in the body. A value that is missing, or of another type,
 * has only that problem; any other value has one for each constraint that it violates.
 */
export function bodyError(errors: readonly ValidationError[]): ApiError {
  return validationError(...errors.flatMap((error) => problemsOf(error, '')));
}

function problemsOf(error: ValidationError, prefix: string): FieldProblem[] {
  const field = `${prefix}${error.property}`;
  const own = ownProblems(error).map((problem) => ({ field, problem }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}

function ownProblems(error: ValidationError): string[] {
  const violated = Object.entries(error.constraints ?? {});
  if (violated.length === 0) return [];
  const value: unknown = error.value;
  const names = violated.map(([name]) => name);
  if (names.includes('whitelistValidation')) return [unknownField(error)];
  if (value === undefined) return ['is missing'];
  const type = names.map((name) => types[name]).find((each) => each !== undefined);
  if (type && typeOf(value) !== type[1]) return [`must be ${type[0]}, not ${described(value)}`];
  if (value === null) return ['must not be null'];
  // A number above 1.8e308 is read as infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return ['is out of range'];
  const texts = violated.filter(([name]) => whole.includes(name));
  return (texts.length > 0 ? texts : violated).map(([name, message]) => {
    const problem = withoutField(message, error.property);
    return name === 'isIn' ? wordProblem(problem, value) : problem;
  });
}

function unknownField({ property, target }: ValidationError): string {
  const known = target === undefined ? [] : fieldsOf(target);
  return `unknown field${suggestion(property, known) ?? ''}`;
}

/** The fields of a request's class. */
function fieldsOf(target: object): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

function wordProblem(problem: string, value: unknown): string {
  const words = /the following values: (.+)$/.exec(problem)?.[1];
  if (words === undefined) return problem;
  if (typeof value !== 'string') return `must be one of ${words}, not ${described(value)}`;
  return `must be one of ${words}${suggestion(value, words.split(', ')) ?? ''}`;
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/** What a value of the wrong type is. Its content is not repeated: it may be long, or secret. */
function described(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  const type = typeOf(value);
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** class-validator starts its messages with the property, which `field` already contains. */
function withoutField(message: string, property: string): string {
  return message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
}
