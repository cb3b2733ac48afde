import { nearest } from '@libs/command-line';
import { mappingMembers } from '@libs/settings';
import { distance } from 'fastest-levenshtein';

/** Letters that may differ for one name to be another one misspelt. */
const mostTypos = 2;

/** Reads the members of one mapping of the file, noting every problem by its path instead of stopping at the first. */
export class FieldReader {
  private readonly fields: Readonly<Record<string, unknown>>;
  /** Members that are absent and that an unknown one seems to mean: reported as unknown, and not as missing as well. */
  private readonly misspelt = new Set<string>();

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
    this.fields = mappingMembers(value, (problem) => this.problem('', problem));
    for (const name of Object.keys(this.fields)) {
      if (known.includes(name)) continue;
      const meant = nearest(name, known);
      this.problem(name, `is not a known setting; did you mean ${meant}?`);
      if (!this.has(meant) && distance(name, meant) <= mostTypos) this.misspelt.add(meant);
    }
  }

  has(name: string): boolean {
    return this.fields[name] !== undefined && this.fields[name] !== null;
  }

  text(name: string): string {
    const value = this.fields[name];
    if (typeof value === 'string' && value !== '') return value;
    this.problem(name, 'must be a non-empty string');
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

  /** @param most largest number that is allowed; any when omitted */
  number(name: string, above: number, most = Infinity): number {
    const value = this.fields[name];
    if (typeof value === 'number' && value > above && value <= most && Number.isFinite(value)) return value;
    this.problem(name, `must be a number above ${above}${most === Infinity ? '' : `, at most ${most}`}`);
    return 0;
  }

  /** As {@link number}; null when it is absent. */
  optionalNumber(name: string, above: number, most = Infinity): number | null {
    return this.has(name) ? this.number(name, above, most) : null;
  }

  integer(name: string, max: number, min = 0): number {
    const value = this.fields[name];
    if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
    this.problem(name, `must be an integer, ${min} to ${max}`);
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
    if (this.misspelt.has(name)) return;
    this.problems.push(`${[this.path, name].filter((part) => part !== '').join('.')} ${problem}`);
  }
}
