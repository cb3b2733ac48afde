import type { StateDefinition } from '@libs/strategy';
import { jsonProblem } from './json-data';
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
