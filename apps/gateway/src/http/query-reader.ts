import { validationError, type FieldProblem } from '@libs/envelope';

/** The problem of a `ticket` that differs from the `position` beside it. */
export function namesAnother(ticket: number, position: number): string {
  return `is ${ticket}, but position names ${position}; give one of them`;
}

interface IntegerRules {
  readonly min: number;
  readonly max: number;
  /** The setting that limits it. */
  readonly setting?: string;
}

/**
 * Reads the query of a GET route field by field and collects every problem, so that {@link finish} reports them
 * together. {@link KnownQueryGuard} refuses unknown parameters earlier. It is not a validation pipe, which would halve the
 * throughput of a light read.
 */
export class QueryReader {
  private readonly problems: FieldProblem[] = [];

  constructor(private readonly query: Readonly<Record<string, unknown>>) {}

  /** A text of at most 128 characters, or undefined. */
  text(field: string): string | undefined {
    const value = this.query[field];
    if (value === undefined) return undefined;
    // Such as of a variable that is not set: a filter that says nothing must not select everything.
    if (typeof value === 'string' && value.trim() === '')
      return this.refuse(field, 'is empty: give a value, or leave it out');
    if (typeof value !== 'string') return this.refuse(field, 'must be given once');
    if (value.length > 128) return this.refuse(field, 'must have at most 128 characters');
    return value;
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (value === undefined && !this.refused(field)) this.refuse(field, 'is missing');
    return value ?? '';
  }

  integer(field: string, rules: IntegerRules): number | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!/^-?\d+$/.test(value)) return this.refuse(field, `must be an integer, not ${quoted(value)}`);
    if (number < rules.min || number > rules.max) {
      const setting = rules.setting === undefined ? '' : ` (${rules.setting})`;
      return this.refuse(field, `must be an integer from ${rules.min} to ${rules.max}${setting}, not ${quoted(value)}`);
    }
    return number;
  }

  /** A position's ticket, by either of its two names. */
  positionTicket(): number | undefined {
    const rules = { min: 1, max: Number.MAX_SAFE_INTEGER };
    const [position, ticket] = [this.integer('position', rules), this.integer('ticket', rules)];
    if (position === undefined || ticket === undefined) return position ?? ticket;
    return position === ticket ? position : this.refuse('ticket', namesAnother(ticket, position));
  }

  boolean(field: string): boolean | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false') {
      return this.refuse(field, `must be true or false, not ${quoted(value)}`);
    }
    return value === 'true';
  }

  /** Reads any other kind; `parse` returns null for an invalid text. */
  parsed<T>(field: string, shape: string, parse: (text: string) => T | null): T | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    return parse(value) ?? this.refuse(field, `must be ${shape}, not ${quoted(value)}`);
  }

  /** Adds a problem that involves several fields. */
  refuse(field: string, problem: string): undefined {
    // Some fields are read twice, once to see that they are there.
    if (!this.problems.some((known) => known.field === field && known.problem === problem)) {
      this.problems.push({ field, problem });
    }
    return undefined;
  }

  /** @throws ApiError validation_error naming every problem */
  finish(): void {
    if (this.problems.length > 0) throw validationError(...this.problems);
  }

  private refused(field: string): boolean {
    return this.problems.some((problem) => problem.field === field);
  }
}

/** A value in quotes, as an error repeats it: its first 32 characters, without control characters. */
function quoted(value: string): string {
  const text = value.replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(text.length > 32 ? `${text.slice(0, 32)}...` : text);
}
