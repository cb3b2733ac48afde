import { statusOfErrorType, type ErrorType } from './error-types';

/** One problem of a request: the path of the field in the body or query, and a description. */
export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

interface ErrorExtras {
  readonly details?: unknown;
  /** The error the terminal reported, in its own words. */
  readonly terminalError?: unknown;
  /** Headers that belong to this answer, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields in addition to the envelope's own, if a route also documents them for failures. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error answer. It can be thrown anywhere; the filter converts it to the error envelope. */
export class ApiError extends Error {
  readonly details: unknown;
  readonly terminalError: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    readonly errorType: ErrorType,
    message: string,
    extras: ErrorExtras = {},
  ) {
    super(message, { cause: extras.cause });
    this.name = 'ApiError';
    this.details = extras.details;
    this.terminalError = extras.terminalError;
    this.headers = extras.headers ?? {};
    this.fields = extras.fields ?? {};
  }

  get status(): number {
    return statusOfErrorType[this.errorType];
  }
}

/** A 400 that names every field and its problem. */
export function validationError(...problems: readonly FieldProblem[]): ApiError {
  const message = problems.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
  return new ApiError('validation_error', message, { details: problems });
}
