import { goesByClock } from './live-period';
import type { LiveHistory } from './live-history';
import type { StrategyLines } from './recorded-evidence';

/**
 * The history from the first deployment on, if that lies in the period: figures of days without the strategy would not be
 * figures of the strategy.
 * @param logs of each strategy; the first line of a whole log is its deployment
 * @param nowMs the clock: a replayed market has other times than the logs
 */
export function sinceDeployment(history: LiveHistory, logs: readonly StrategyLines[], nowMs: number): LiveHistory {
  const { span, positions, stored } = history;
  if (!goesByClock(span, nowMs)) return history;
  const deployedMs = logs.map(({ lines: [first], isWhole }) => (isWhole ? timeOf(first) : null));
  const known = deployedMs.filter((timeMs) => timeMs !== null);
  if (known.length === 0 || known.length < deployedMs.length) return history;
  const fills = positions.flatMap((position) => position.fills.map(({ timeMs }) => timeMs));
  const intents = stored.intents.map(({ createdAtMs }) => createdAtMs);
  const firstMs = [...known, ...fills, ...intents].reduce((least, timeMs) => Math.min(least, timeMs), Infinity);
  return firstMs <= span.fromMs || firstMs >= span.toMs ? history : { ...history, span: { ...span, fromMs: firstMs } };
}

function timeOf(line = ''): number | null {
  const timeMs = Date.parse(line.slice(0, line.indexOf('Z') + 1));
  return Number.isNaN(timeMs) ? null : timeMs;
}
