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

interface OpenTurn {
  readonly use: LevelUse;
  readonly ended: Promise<void>;
}

/**
 * Orders the sends that use the levels of one position on an account that nets. A change waits for the orders and changes before
 * it, and an order for the changes. Orders do not wait for each other, and exits do not come here.
 */
@Injectable()
export class LevelTurns {
  /** The turns that have not ended, by symbol. */
  private readonly open = new Map<string, Set<OpenTurn>>();

  /** Takes the turn of a send, in the order of the calls. */
  begin(symbol: string, use: LevelUse): LevelTurn {
    const turns = this.open.get(symbol) ?? new Set();
    this.open.set(symbol, turns);
    const before = [...turns].filter((turn) => use === 'keeps' || turn.use === 'keeps').map(({ ended }) => ended);
    let resolve = (): void => undefined;
    const mine: OpenTurn = { use, ended: new Promise((resolveMine) => (resolve = resolveMine)) };
    turns.add(mine);
    const end = (): void => {
      resolve();
      turns.delete(mine);
      if (turns.size === 0 && this.open.get(symbol) === turns) this.open.delete(symbol);
    };
    return { wait: before.length > 0 ? Promise.all(before) : null, end };
  }
}
