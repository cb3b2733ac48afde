import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTicks } from './testing/written-prices';
import { runHandlers, streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 3);
const quotes = Array.from({ length: 20 }, (_, minute) => [startMs + minute * 60_000, 1.1, 1.1001] as const);
const file = writeTicks(join(mkdtempSync(join(tmpdir(), 'max-volume-')), 'eurusd.csv'), quotes);

describe('an entry that is sized by risk in a backtest', () => {
  it('has the most lots that the configuration permits, and is not denied', async () => {
    const sized = `onBar(bar, trade) {
      if (++n === 3) trade.buy('main', { volume: trade.volumeFor('main', { risk: 10, stopDistance: 0.0001 }) });
    }`;
    const risk = { maxVolume: 0.5, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null };
    const { fills, rejects } = await runHandlers(
      sized,
      { files: [file] },
      { streams: streamsOf({ main: 'EURUSD@M1' }), risk },
    );
    expect([fills.map(({ volume }) => volume), rejects]).toEqual([[0.5], []]);
  });
});
