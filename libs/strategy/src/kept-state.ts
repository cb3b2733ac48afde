/** What a strategy keeps under `trade.state`, over restarts, reloads and failures. */
export interface StateDefinition<State> {
  /** To be raised when the stored state no longer fits the strategy. */
  readonly version: number;
  /**
   * The state until it is first changed. JSON data: objects, lists, texts, finite numbers, true, false and null. At most 64 KiB
   * as JSON, as every later state.
   */
  readonly initial: State;
  /**
   * The state of this version, made of the stored one of another version. Without it a strategy does not start with a state of
   * another version, and a reload is refused.
   * @param old the stored state
   * @param version its version
   */
  migrate?(old: unknown, version: number): NoInfer<State>;
}

/** @throws Error for a declaration that plain JavaScript let through */
export function checkStateDefinition(definition: unknown): void {
  const hint = 'defineStrategy: state must be an object such as { version: 1, initial: { losses: 0 } }';
  if (typeof definition !== 'object' || definition === null) throw new Error(hint);
  const { version, initial, migrate } = definition as Readonly<
    Partial<Record<keyof StateDefinition<unknown>, unknown>>
  >;
  if (!Number.isSafeInteger(version)) {
    throw new Error(`defineStrategy: state.version must be an integer, not ${String(version)}`);
  }
  if (initial === undefined) throw new Error(hint);
  if (migrate !== undefined && typeof migrate !== 'function') {
    throw new Error('defineStrategy: state.migrate must be a function of the old state and its version');
  }
}
