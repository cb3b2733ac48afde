/** Events for the listeners of a strategy: signals, order outcomes, trades and halts. */
export type StrategyEventName = 'signal' | 'order' | 'trade' | 'halt';
type Listener = (name: StrategyEventName, data: object) => void;

/** Emits the events of one strategy to its listeners. */
export class StrategyEvents {
  private readonly listeners = new Set<Listener>();

  emit(name: StrategyEventName, data: object): void {
    for (const listener of this.listeners) listener(name, data);
  }

  /** @returns a function that ends the listening */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
