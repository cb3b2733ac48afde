import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Pending orders of every kind, with levels, a time to lapse and a trailing stop once they fill; it reads nothing but bars,
 * so nothing can be late.
 */
const pending = `import { defineStrategy } from '@libs/strategy';
const minute = 60_000;
const kinds = ['limit', 'stop', 'stop_limit'] as const;
export default defineStrategy({ version: 1, params: class {}, streams: ['main'],
  create: ({ streams: { main } }) => ({
    onBar(bar, trade) {
      const turn = bar.timeMs / minute;
      if (trade.warmingUp || turn % 3 !== 0) return;
      const kind = kinds[(turn / 3) % 3]!;
      const side = (turn / 9) % 2 < 1 ? 'buy' : 'sell';
      const up = side === 'buy' ? 1 : -1;
      const price = bar.close + (kind === 'limit' ? -up : up) * 0.0001;
      const options = { volume: 0.1, kind, price, sl: price - up * 0.0006, tp: price + up * 0.0005 };
      const stoplimit = kind === 'stop_limit' ? { stoplimit: price - up * 0.00005 } : {};
      trade[side](main, { ...options, ...stoplimit, expirationMs: trade.timeMs + 4 * minute });
    },
    onFill(fill, trade) {
      const position = trade.positions().find(({ intentId }) => intentId === fill.intentId);
      if (fill.entry === 'in' && position) trade.trail(position, { distance: 0.0003 });
    },
  }),
});
`;

/** Enters on ticks and leaves on bars, part by part. */
const ticks = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, streams: ['main'],
  create: ({ streams: { main } }) => {
    let high = Number.POSITIVE_INFINITY;
    return {
      onTick(tick, trade) {
        if (tick.bid <= high || trade.positions(main).length > 0) return;
        high = Number.POSITIVE_INFINITY;
        trade.buy(main, { volume: 0.2 });
      },
      onBar(bar, trade) {
        const [position] = trade.positions(main);
        high = position ? Number.POSITIVE_INFINITY : bar.high;
        if (!position) return;
        if (position.volume > 0.1) trade.closePart(position, 0.1);
        else trade.close(position);
      },
    };
  },
});
`;

/** Writes the strategies that the shipped ones leave out; returns their paths. */
export function parityStrategies(folder: string): { readonly pending: string; readonly ticks: string } {
  const paths = { pending: join(folder, 'pending.ts'), ticks: join(folder, 'ticks.ts') };
  writeFileSync(paths.pending, pending);
  writeFileSync(paths.ticks, ticks);
  return paths;
}
