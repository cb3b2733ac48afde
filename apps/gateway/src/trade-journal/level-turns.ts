import { Injectable } from '@nestjs/common';

/**
 * What a send does with the levels of a position that nets: an order that adds to it replaces both, and a change sends those
 * that it keeps once more.
 */
export type LevelUse = 'replaces' | 'keeps';

/** The turn of one send. */
export interface LevelTurn {
  /** Resolves when it may be sent; null if it need not wait. */
  readonly wait: Promise<unknown> | null;
  /** Call it when the broker has answered, or will not be asked. Further calls do nothing. */
  readonly end: () => void;
}

interface SymbolTurns {
  /** Changes, and sends of both kinds, that have not ended. */
  changes: number;
  sends: number;
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

  /** Takes the turn of a send, in the order of the calls. */
  begin(symbol: string, use: LevelUse): LevelTurn {
    const turns = this.turns.get(symbol) ?? { changes: 0, sends: 0, kept: Promise.resolve(), all: Promise.resolve() };
    this.turns.set(symbol, turns);
    const changes = use === 'keeps' ? 1 : 0;
    const wait = use === 'keeps' ? turns.sends > 0 && turns.all : turns.changes > 0 && turns.kept;
    let resolve = (): void => undefined;
    const mine = new Promise<void>((resolveMine) => (resolve = resolveMine));
    turns.changes += changes;
    turns.sends += 1;
    turns.all = Promise.all([turns.all, mine]);
    if (use === 'keeps') turns.kept = mine;
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      resolve();
      turns.changes -= changes;
      turns.sends -= 1;
      if (turns.sends === 0) this.turns.delete(symbol);
    };
    return { wait: wait || null, end };
  }
}
