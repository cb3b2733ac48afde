import { nearest } from './nearest';

/** Reads the members of one mapping of the file, noting every problem by its path instead of stopping at the first. */
export class FieldReader {
  private readonly fields: Readonly<Record<string, unknown>>;

  /**
   * @param known every name the mapping may have
   * @param problems where problems of the whole file are gathered
   */
  constructor(
    value: unknown,
    private readonly path: string,
    known: readonly string[],
    private readonly problems: string[],
  ) {
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isMapping) this.problem('', 'must be a mapping of names to values');
    this.fields = isMapping ? (value as Record<string, unknown>) : {};
    for (const name of Object.keys(this.fields)) {
      if (!known.includes(name)) this.problem(name, `is unknown; did you mean ${nearest(name, known)}?`);
    }
  }

  has(name: string): boolean {
    return this.fields[name] !== undefined && this.fields[name] !== null;
  }

  text(name: string): string {
    const value = this.fields[name];
    if (typeof value === 'string' && value !== '') return value;
    this.problem(name, 'must be a text');
    return '';
  }

  optionalText(name: string): string | null {
    return this.has(name) ? this.text(name) : null;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: NoInfer<Word>): Word {
    if (!this.has(name)) return fallback;
    const word = words.find((candidate) => candidate === this.fields[name]);
    if (word === undefined) this.problem(name, `must be one of ${words.join(', ')}`);
    return word ?? fallback;
  }

  number(name: string, above: number): number {
    const value = this.fields[name];
    if (typeof value === 'number' && value > above && Number.isFinite(value)) return value;
    this.problem(name, `must be a number above ${above}`);
    return 0;
  }

  optionalNumber(name: string, above: number): number | null {
    return this.has(name) ? this.number(name, above) : null;
  }

  integer(name: string, max: number): number {
    const value = this.fields[name];
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) return value as number;
    this.problem(name, `must be an integer, 0 to ${max}`);
    return 0;
  }

  optionalInteger(name: string, max: number): number | null {
    return this.has(name) ? this.integer(name, max) : null;
  }

  /** A member as it stands; an absent one as an empty mapping. */
  mapping(name: string): unknown {
    return this.fields[name] ?? {};
  }

  /** The entries of a mapping member. */
  entries(name: string): [string, unknown][] {
    const value = this.mapping(name);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
    this.problem(name, 'must be a mapping of names to values');
    return [];
  }

  list(name: string): unknown[] {
    const value = this.fields[name] ?? [];
    if (Array.isArray(value)) return value;
    this.problem(name, 'must be a list');
    return [];
  }

  problem(name: string, problem: string): void {
    this.problems.push(`${[this.path, name].filter((part) => part !== '').join('.')} ${problem}`);
  }
}
