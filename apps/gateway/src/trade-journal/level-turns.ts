import { Injectable } from '@nestjs/common';

/**
 * What a send does with the levels of a position that nets: an order that adds to it replaces both, and a change sends those
 * that it keeps once more.
 */
export type LevelUse = 'replaces' | 'keeps';

interface SymbolTurns {
  /** Sends that have not ended. */
  open: number;
  /** The end of the newest change. */
  kept: Promise<unknown>;
  /** The end of all sends so far. */
  all: Promise<unknown>;
}

/**
 * Orders the sends that use the levels of one position on an account that nets. A change waits for the orders and changes before
 * it, and an order for the changes. Orders do not wait for each other, and exits do not come here.
 */
@Injectable()
export class LevelTurns {
  private readonly turns = new Map<string, SymbolTurns>();

  /**
   * Waits for the turn of a send.
   * @returns ends the turn; call it when the broker has answered, or will not be asked. Further calls do nothing
   */
  async begin(symbol: string, use: LevelUse): Promise<() => void> {
    const turns = this.turns.get(symbol) ?? { open: 0, kept: Promise.resolve(), all: Promise.resolve() };
    this.turns.set(symbol, turns);
    turns.open += 1;
    let resolve = (): void => undefined;
    const mine = new Promise<void>((resolveMine) => (resolve = resolveMine));
    const before = use === 'keeps' ? turns.all : turns.kept;
    turns.all = Promise.all([turns.all, mine]);
    if (use === 'keeps') turns.kept = mine;
    let hasEnded = false;
    await before;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      resolve();
      turns.open -= 1;
      if (turns.open === 0) this.turns.delete(symbol);
    };
  }
}
