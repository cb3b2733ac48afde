import { countText } from './figure-text';
import { isOfType, requiredMembers, type Fields, type RecordOf } from '@libs/records';
import { GatewayReadError } from './read-error';

type Kind = 'integer' | 'number' | 'string' | 'boolean' | 'object';
/** A member that may be absent or null is not checked: `never`. */
type KindOf<T> = undefined extends T
  ? never
  : null extends T
    ? never
    : T extends number
      ? 'integer' | 'number'
      : T extends string
        ? 'string'
        : T extends boolean
          ? 'boolean'
          : T extends object
            ? 'object'
            : never;

/** The members to check, each with its `typeof`; `integer` is a number that is read exactly. */
type Members<T> = { readonly [Name in keyof T]?: KindOf<T[Name]> };

/** Every member of a declared record that is never null. */
export function always<Declared extends Fields>(fields: Declared): Members<RecordOf<Declared>> {
  return Object.fromEntries(requiredMembers(fields)) as Members<RecordOf<Declared>>;
}

/**
 * Reads one kind of record from the gateway's answers. The compiler compares the
 * names and types of the members with the record.
 */
export class RecordShape<T> {
  private readonly members: readonly (readonly [name: string, kind: Kind])[];

  /** @param what name of the record in errors, in the singular */
  constructor(
    private readonly what: string,
    members: Members<T>,
  ) {
    this.members = Object.entries<Kind>(members as Readonly<Record<string, Kind>>);
  }

  /** @throws GatewayReadError if it is not such a record; a missing number is not a zero */
  record(value: unknown): T {
    if (typeof value !== 'object' || value === null) throw malformed(`${this.what} is not an object`);
    const fields = value as Readonly<Record<string, unknown>>;
    for (const [name, kind] of this.members) {
      const member = fields[name];
      if (kind === 'object' ? typeof member === kind && member !== null : isOfType(member, kind)) continue;
      if (typeof member !== 'number') throw malformed(`${this.what} has no ${name}`);
      throw malformed(`the ${name} of the ${this.what} is no integer that a number holds exactly`);
    }
    return value as T;
  }

  /** The rows under `member` of a body. @throws GatewayReadError if there is no such list, instead of an empty one */
  rows(body: unknown, member = 'data'): T[] {
    const fields = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
    const rows = fields[member];
    if (!Array.isArray(rows)) throw malformed(`the answer has no list of ${this.what}s`);
    const { total } = fields;
    if (member === 'data' && typeof total === 'number' && total !== rows.length) {
      throw malformed(`the answer counts ${countText(total, this.what)} and lists ${rows.length}`);
    }
    return rows.map((row) => this.record(row));
  }
}

function malformed(problem: string): GatewayReadError {
  return new GatewayReadError('malformed', `not an answer of the gateway: ${problem}`);
}
