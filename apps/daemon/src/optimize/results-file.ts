import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { SetOutcome } from './set-run';

/** A results file that cannot be used, in words for people. */
export class ResultsFileError extends Error {}

/** Identity of a search: its strategy, prices, settings and sets. Two runs with the same identity give the same outcomes. */
export type SearchIdentity = Readonly<Record<string, unknown>>;

/** Outcomes by the name of their task, kept in a file of JSON lines when one is named. */
export class ResultsFile {
  private constructor(
    private readonly path: string | null,
    private readonly outcomes: Map<string, SetOutcome>,
  ) {}

  /** For a search that keeps nothing. */
  static inMemory(): ResultsFile {
    return new ResultsFile(null, new Map());
  }

  /** @throws ResultsFileError when the file exists or cannot be written */
  static create(path: string, identity: SearchIdentity): ResultsFile {
    if (existsSync(path)) {
      throw new ResultsFileError(`${path} exists; use --resume to continue it, or name another file`);
    }
    written(path, () => writeFileSync(path, `${JSON.stringify({ search: identity })}\n`));
    return new ResultsFile(path, new Map());
  }

  /** @throws ResultsFileError when the file cannot be read, is damaged, or belongs to another search */
  static resume(path: string, identity: SearchIdentity): ResultsFile {
    const [head = '', ...rows] = linesOf(path);
    const { search } = parsed(path, 1, head) as { readonly search?: SearchIdentity };
    if (search === undefined) throw new ResultsFileError(`${path} is not a results file of daemon optimize`);
    const differing = differences(search, identity);
    if (differing.length > 0) {
      throw new ResultsFileError(`${path} belongs to another search: it differs in ${differing.join(', ')}`);
    }
    const outcomes = rows.map((line, index) => {
      const { task, outcome } = parsed(path, index + 2, line) as {
        readonly task: string;
        readonly outcome: SetOutcome;
      };
      return [task, outcome] as const;
    });
    // What a kill has cut off must not become the beginning of the next line.
    written(path, () => writeFileSync(path, [head, ...rows, ''].join('\n')));
    return new ResultsFile(path, new Map(outcomes));
  }

  get(task: string): SetOutcome | undefined {
    return this.outcomes.get(task);
  }

  add(task: string, outcome: SetOutcome): void {
    this.outcomes.set(task, outcome);
    const { path } = this;
    if (path !== null && !('isLost' in outcome))
      written(path, () => appendFileSync(path, `${JSON.stringify({ task, outcome })}\n`));
  }
}

/** Complete lines of the file: a kill may have cut off the last one. */
function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    throw new ResultsFileError(`${path} cannot be resumed: ${textOf(error)}`);
  }
}

function parsed(path: string, line: number, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new ResultsFileError(`${path}: line ${line} is damaged`);
}

/** Names of the members that are not the same. */
function differences(a: SearchIdentity, b: SearchIdentity): readonly string[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
}

function written(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new ResultsFileError(`${path} cannot be written: ${textOf(error)}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
