import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Twenty pairs of the simulated broker's own currencies. */
const currencies = ['EUR', 'GBP', 'AUD', 'NZD', 'USD', 'CAD', 'CHF', 'JPY'];
const pairs = currencies.flatMap((base, index) => currencies.slice(index + 1).map((quote) => base + quote));

export const spinner = { name: 'spinner', magic: 50_000 };
const firstMagic = 51_000;

/** Writes the symbol file of the simulated broker; returns its path. */
export function writeSymbols(folder, count) {
  if (count > pairs.length) throw new Error(`at most ${pairs.length} symbols can be made of ${currencies.join(', ')}`);
  const symbols = pairs.slice(0, count).map((name) => ({
    ...{ name, like: name.endsWith('JPY') ? 'USDJPY' : 'EURUSD' },
    market: { spread: 12, visible: true },
  }));
  const file = join(folder, 'symbols.json');
  writeFileSync(file, JSON.stringify({ symbols }));
  return { file, names: symbols.map(({ name }) => name) };
}

/**
 * Opens and closes in turn, in a rhythm of market time between two instants. Ticks are heard all the time, so that what
 * each tick costs is there from the start.
 */
const rhythm = `import { defineStrategy } from '@libs/strategy';
import { IsInt, IsNumber } from 'class-validator';

class RhythmParams {
  @IsInt() fromMs: number = 0;
  @IsInt() untilMs: number = 0;
  @IsInt() everyMs: number = 0;
  @IsInt() offsetMs: number = 0;
  @IsNumber() volume: number = 0.01;
}

export default defineStrategy({
  version: 1,
  params: RhythmParams,
  streams: ['main'],
  warmupBars: 50,
  create: ({ params, streams: { main } }) => {
    let nextMs = params.fromMs + params.offsetMs;
    return {
      onBar() {},
      onTick(tick, trade) {
        if (tick.timeMs < nextMs || tick.timeMs >= params.untilMs) return;
        while (nextMs <= tick.timeMs) nextMs += params.everyMs;
        const open = trade.position(main);
        if (open) trade.close(open);
        else trade.buy(main, { volume: params.volume });
      },
    };
  },
});
`;

/** Well until it owns a position, which it never opens itself: then it never comes back from a tick. */
const endless = `import { defineStrategy } from '@libs/strategy';

class NoParams {}

export default defineStrategy({
  version: 1,
  params: NoParams,
  streams: ['main'],
  create: ({ streams: { main } }) => ({
    onTick(tick, trade) {
      if (trade.position(main)) for (;;);
    },
  }),
});
`;

export function writeStrategies(folder) {
  writeFileSync(join(folder, 'rhythm.ts'), rhythm);
  writeFileSync(join(folder, 'endless.ts'), endless);
}

/**
 * Writes the configuration of `count` strategies, spread over the symbols, the first of which is the one that will spin;
 * returns its path. Of the others, each `groupSize` share a thread; 0: none does.
 */
export function writeConfig(folder, { url, symbols, count, fromMs, untilMs, everyMs, groupSize }) {
  const stream = (index) => ({ main: `bench:${symbols[index % symbols.length]}@M1` });
  const trading = Array.from({ length: count - 1 }, (_, index) => ({
    name: `rhythm-${String(index + 1).padStart(3, '0')}`,
    module: join(folder, 'rhythm.ts'),
    magic: firstMagic + index,
    streams: stream(index),
    capital: 10_000,
    ...(groupSize > 0 ? { workerGroup: `group-${Math.floor(index / groupSize)}` } : {}),
    // Apart from each other by an even share of the period: strategies do not all have their idea at one tick.
    params: { fromMs, untilMs, everyMs, offsetMs: Math.floor((everyMs * index) / count) },
  }));
  const spinning = {
    ...spinner,
    module: join(folder, 'endless.ts'),
    streams: stream(0),
    capital: 10_000,
    onMismatch: 'adopt',
  };
  const file = join(folder, `daemon-${count}.yaml`);
  const gateways = { bench: { url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 } };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ gateways, strategies: [spinning, ...trading] }));
  return file;
}
