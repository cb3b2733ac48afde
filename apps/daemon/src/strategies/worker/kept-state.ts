import type { StateDefinition } from '@libs/strategy';
import type { StateText } from '../../core/records';

/** Most bytes of a state as JSON: it is written as a whole with each change. */
const mostBytes = 65_536;

/** The state under `trade.state` of one strategy: the value that its handlers change, and the JSON of what it was before. */
export class KeptState {
  value: unknown;
  private json: string;

  /**
   * @param stored the state of an earlier start; null if there is none
   * @throws Error if it has another version and the strategy cannot migrate it, or if the state cannot be kept
   */
  constructor(
    private readonly definition: StateDefinition<unknown>,
    stored: StateText | null,
  ) {
    this.json = jsonOf(definition.initial, 'state.initial');
    if (stored) this.json = this.current(stored);
    this.value = JSON.parse(this.json);
  }

  get text(): StateText {
    return { version: this.definition.version, json: this.json };
  }

  /** Continues with the state of another start or version of the strategy. @throws as the constructor, and changes nothing then */
  adopt(stored: StateText): void {
    this.json = this.current(stored);
    this.value = JSON.parse(this.json);
  }

  /** Undoes every change since the last event. */
  undo(): void {
    this.value = JSON.parse(this.json);
  }

  /** Takes what an event left. @returns null if that is what was there before. @throws Error, and undoes it, if it cannot be kept */
  take(): StateText | null {
    try {
      const json = jsonOf(this.value, 'trade.state');
      if (json === this.json) return null;
      this.json = json;
      return this.text;
    } catch (error) {
      this.undo();
      throw error;
    }
  }

  private current({ version, json }: StateText): string {
    const { definition } = this;
    if (version === definition.version) return json;
    if (!definition.migrate) {
      throw new Error(
        `the stored state has version ${version}, and the strategy declares state.version ${definition.version}: add state.migrate`,
      );
    }
    return jsonOf(definition.migrate(JSON.parse(json), version), 'state.migrate(…)');
  }
}

function jsonOf(value: unknown, path: string): string {
  const problem = jsonProblem(value, path);
  if (problem !== null) throw new Error(problem);
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes > mostBytes) throw new Error(`${path} has ${bytes} bytes as JSON; a strategy keeps at most ${mostBytes}`);
  return json;
}

/** Levels of nesting, more than data needs: a deeper one could not be read again. */
const mostLevels = 100;

/**
 * Why a value would not be the same after it was written as JSON and read again; null if it would.
 * @param path names the value in the problem
 */
export function jsonProblem(value: unknown, path: string): string | null {
  return problemIn(value, path, []);
}

/** @param around the objects that the value is in, the innermost last */
function problemIn(value: unknown, path: string, around: readonly object[]): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `${path} is ${value}, which JSON does not support`;
    case 'object':
      return value === null ? null : problemInObject(value, path, around);
    case 'undefined':
      return `${path} is undefined, which JSON does not support: use null, or delete the member`;
    default:
      return `${path} is a ${typeof value}, which JSON does not support`;
  }
}

function problemInObject(value: object, path: string, around: readonly object[]): string | null {
  if (around.includes(value)) return `${path} is an object that contains itself`;
  if (around.length === mostLevels) return `${path} is nested more than ${mostLevels} levels deep`;
  if (!Array.isArray(value) && !isPlain(value)) {
    return `${path} is a ${nameOf(value)}, which JSON does not support: use plain objects and lists`;
  }
  const within = [...around, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = problemIn(value[index], `${path}[${index}]`, within);
      if (problem !== null) return problem;
    }
    return null;
  }
  for (const [name, member] of Object.entries(value)) {
    const problem = problemIn(member, `${path}.${name}`, within);
    if (problem !== null) return problem;
  }
  return null;
}

/** An object literal, of any realm: a backtest has the strategy in a context of its own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const { name } = value.constructor;
  return name === '' ? 'class instance' : name;
}
