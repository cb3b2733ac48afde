import { statSync } from 'node:fs';
import { advice } from '@libs/command-line';
import { systemErrorText } from '@libs/envelope';
import { fileText, mappingMembers } from '@libs/settings';
import { requireYamlSize, yamlOf, YamlTextError } from '@libs/settings/yaml-text';

/** The content of a YAML file. @param refuse receives what is wrong with the file as a whole */
export function yamlFile(file: string, refuse: (problem: string) => never): unknown {
  try {
    requireYamlSize(statSync(file).size);
    return yamlOf(fileText(file));
  } catch (error) {
    return refuse(error instanceof YamlTextError ? error.message : `cannot be read: ${systemErrorText(error)}`);
  }
}

/** Where secrets are read from: these variables, and files. */
export function secretSources(env: SecretSources['env']): SecretSources {
  return { env, fileText: textOrNone };
}

function textOrNone(path: string): string | undefined {
  try {
    return fileText(path);
  } catch {
    return undefined;
  }
}

/** Reads the members of one mapping of a file of settings, and notes every problem by its path. */
export class FileReader {
  private readonly fields: Readonly<Record<string, unknown>>;

  /**
   * @param known every name that the mapping may have
   * @param problems where the problems of the whole file are gathered
   */
  constructor(
    value: unknown,
    private readonly path: string,
    known: readonly string[],
    private readonly problems: string[],
  ) {
    this.fields = mappingMembers(value, (problem) => problems.push(`${this.at('')} ${problem}`.trim()));
    for (const [name, member] of Object.entries(this.fields)) {
      if (!known.includes(name)) this.problem(name, this.unknownText(name, known));
      else if (member === null) problems.push(`${this.at(name)} has no value: write one, or leave the name out`);
    }
  }

  has(name: string): boolean {
    return this.fields[name] !== undefined && this.fields[name] !== null;
  }

  value(name: string): unknown {
    return this.fields[name];
  }

  /** The members of a mapping; none if it is absent. */
  mapping(name: string): Readonly<Record<string, unknown>> {
    return this.has(name) ? mappingMembers(this.fields[name], (problem) => this.problem(name, problem)) : {};
  }

  text(name: string): string {
    const value = this.fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.problem(name, 'must be a non-empty string');
    return '';
  }

  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: NoInfer<Word>): Word {
    if (!this.has(name)) return fallback;
    const word = words.find((candidate) => candidate === this.fields[name]);
    if (word === undefined) this.problem(name, `must be one of ${words.join(', ')}`);
    return word ?? fallback;
  }

  number(name: string, { min, max, fallback }: { min: number; max: number; fallback?: number }): number {
    const value = this.has(name) ? this.fields[name] : fallback;
    if (typeof value === 'number' && value >= min && value <= max) return value;
    this.problem(name, `must be a number, ${min} to ${max}`);
    return min;
  }

  /** A list of texts; null if it is absent. */
  texts(name: string): string[] | null {
    if (!this.has(name)) return null;
    const value = this.fields[name];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== ''))
      return value as string[];
    this.problem(name, 'must be a list of strings');
    return [];
  }

  /** A list of some of these words; null if it is absent. */
  wordsOf(name: string, words: readonly string[]): string[] | null {
    const list = this.texts(name);
    const unknown = list?.filter((word) => !words.includes(word)) ?? [];
    if (unknown.length > 0) this.problem(name, `must be a list of some of ${words.join(', ')}`);
    return list;
  }

  /**
   * A secret, from the environment variable that `<name>_env` names, or from the file that `<name>_file` names. Problems name
   * the variable or the file, never the value.
   */
  secret(name: string, sources: SecretSources): string {
    const [variable, file] = [`${name}_env`, `${name}_file`];
    if (this.has(variable) === this.has(file)) {
      this.problem(variable, `or ${name}_file must name the secret, exactly one of them`);
      return '';
    }
    const from = this.has(variable) ? variable : file;
    const place = this.text(from);
    if (place === '') return '';
    const found = from === variable ? sources.env[place] : sources.fileText(place);
    const value = found?.trim() ?? '';
    if (value === '') this.problem(from, from === variable ? 'names a variable that is not set' : unreadable);
    return value;
  }

  problem(name: string, problem: string): void {
    // Of a member without a value, that is said already.
    if (this.fields[name] !== null) this.problems.push(`${this.at(name)} ${problem}`);
  }

  private at(name: string): string {
    return [this.path, name].filter((part) => part !== '').join('.');
  }

  private unknownText(name: string, known: readonly string[]): string {
    if (known.includes(`${name}_env`)) return `must not be in this file: use ${name}_env or ${name}_file`;
    return `is not a known setting${advice(name, known)}`;
  }
}

const unreadable = 'names a file that is empty or cannot be read';

/** Where secrets are read from. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; undefined if it cannot be read. */
  readonly fileText: (path: string) => string | undefined;
}
