import type { RecordedTimes } from '@libs/simulator';
import type { Stream } from '@libs/strategy';
import { timeframeMs } from '../core/timeframe';
import type { WarmupByStream } from '../strategies/worker/warmup';

/** A backtest that cannot be run as it was asked for, in words for people. */
export class BacktestRefusedError extends Error {}

/** The part of the recorded prices to trade in, in UTC milliseconds; null is as much as there is. */
export interface Period {
  /** First instant to trade at. */
  readonly fromMs: number | null;
  /** The instant at which it is over. */
  readonly toMs: number | null;
}

const monthMinutes = 31 * 1_440;

/**
 * Where the market starts, as settings of the simulated broker: at the beginning of the period, or as soon as there are
 * enough prices to warm up with.
 * @throws BacktestRefusedError when the period has no prices, or too few lie before it
 */
export function startOf(
  { firstMs, lastMs, minutes }: RecordedTimes,
  { fromMs, toMs }: Period,
  streams: readonly Stream[],
  warmupBars: WarmupByStream,
): Readonly<Record<string, string>> {
  const span = `the prices go from ${shown(firstMs)} to ${shown(lastMs)} UTC`;
  if (fromMs !== null && toMs !== null && fromMs >= toMs) {
    throw new BacktestRefusedError(`--from ${shown(fromMs)} is not before --to ${shown(toMs)}`);
  }
  if (fromMs !== null && fromMs > lastMs) throw new BacktestRefusedError(`${span}: none after --from ${shown(fromMs)}`);
  if (toMs !== null && toMs <= firstMs) throw new BacktestRefusedError(`${span}: none before --to ${shown(toMs)}`);
  if (fromMs !== null && fromMs > firstMs) return { SIM_REPLAY_START: new Date(fromMs).toISOString() };
  // Two more: the one that forms, and the one that the start of the prices has cut.
  const needed = Math.max(1, ...streams.map((stream) => ((warmupBars[stream.alias] ?? 0) + 2) * barMinutes(stream)));
  if (needed >= minutes) {
    const bars = streams.map(({ alias, timeframe }) => `${warmupBars[alias] ?? 0} bars of ${timeframe}`).join(', ');
    throw new BacktestRefusedError(
      `warming up with ${bars} takes ${needed} minutes of prices, and the files hold ${minutes}`,
    );
  }
  return { SIM_REPLAY_WARMUP_BARS: String(needed) };
}

/** Why a market that stands at an instant, warmed up, has nothing to trade at: what comes after lies beyond the end. */
export function nothingToTrade(startMs: number, { fromMs, toMs }: Period): string {
  const before = toMs === null ? '' : ` and before --to ${shown(toMs)}`;
  const why = startMs === fromMs ? '' : ': what lies before that is to warm up with';
  return `there are no prices to trade at after ${shown(startMs)}${before} UTC${why}`;
}

function barMinutes({ timeframe }: Stream): number {
  const lengthMs = timeframeMs(timeframe);
  return lengthMs === null ? monthMinutes : lengthMs / 60_000;
}

/** An instant as people read it: `2012-02-01 08:20`. */
export function shown(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
}
