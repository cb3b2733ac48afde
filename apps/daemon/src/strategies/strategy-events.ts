/** What a strategy's listeners are told: what it wanted, what became of it, what it filled, and that it halted. */
export type StrategyEventName = 'signal' | 'order' | 'trade' | 'halt';
type Listener = (name: StrategyEventName, data: object) => void;

/** Tells whoever listens to one strategy; nobody listening costs nothing. */
export class StrategyEvents {
  private readonly listeners = new Set<Listener>();

  tell(name: StrategyEventName, data: object): void {
    for (const listener of this.listeners) listener(name, data);
  }

  /** @returns a function that ends the listening */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
