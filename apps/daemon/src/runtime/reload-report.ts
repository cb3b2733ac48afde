import { isTemporary } from '../strategies/not-yet-error';

/** Result of a configuration reload, with the names of strategies, portfolios and gateways. */
export interface ReloadReport {
  /** ISO-8601. */
  readonly at: string;
  /** `applied` as a whole, `partial` but for what the problems name, or `refused`: nothing has changed. */
  readonly outcome: 'applied' | 'partial' | 'refused';
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly problems: readonly string[];
}

/** The same while it is being found out. */
export class ReloadNotes {
  readonly added: string[] = [];
  readonly removed: string[] = [];
  readonly changed: string[] = [];
  readonly problems: string[] = [];
  /** Problems of what is tried again without another reload, by the names of strategies and gateways. */
  readonly postponed = new Map<string, string>();

  /**
   * Runs a step; an error becomes a problem of the given name.
   * @param isPostponed whether a step that failed with an error is tried again
   */
  async attempt(
    name: string,
    list: string[],
    step: () => Promise<void>,
    isPostponed: (error: unknown) => boolean = isTemporary,
  ): Promise<void> {
    this.postponed.delete(name);
    try {
      await step();
      list.push(name);
    } catch (error) {
      const problem = `${name}: ${error instanceof Error ? error.message : String(error)}`;
      if (isPostponed(error)) this.postponed.set(name, problem);
      else this.problems.push(problem);
    }
  }

  /** Forgets what is postponed but for these names. */
  keepPostponed(names: readonly string[]): void {
    for (const name of [...this.postponed.keys()]) if (!names.includes(name)) this.postponed.delete(name);
  }

  report(at: string): ReloadReport {
    const { added, removed } = this;
    const problems = [...this.postponed.values(), ...this.problems];
    const changed = [...new Set(this.changed)];
    return { at, outcome: problems.length === 0 ? 'applied' : 'partial', added, removed, changed, problems };
  }
}

/** The report of a file that cannot be applied. */
export function refused(at: string, problems: readonly string[]): ReloadReport {
  return { at, outcome: 'refused', added: [], removed: [], changed: [], problems };
}
