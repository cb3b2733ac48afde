import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { pino } from 'pino';
import { LogBook } from '../logs/log-book';
import type { StrategyLines } from './recorded-evidence';

/** Reads the log of a strategy from the state directory; one that was never written has no lines. */
export async function strategyLines(stateDir: string, name: string): Promise<StrategyLines> {
  const logs = new LogBook(join(stateDir, 'logs'), new SystemClock(), pino({ level: 'silent' }));
  if (!(await logs.has(name))) return { lines: [], isWhole: false };
  const all = { lines: Number.MAX_SAFE_INTEGER, sinceMicros: 0, level: 'debug' } as const;
  const { lines, linesRemoved } = await logs.read(name, all);
  return { lines, isWhole: !linesRemoved };
}
