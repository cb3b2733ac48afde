import { promiseHooks } from 'node:v8';
import { RecordingError } from '@libs/simulator';
import { SettingRefused, SettingsError } from '@libs/settings';
import { changesByDay } from '../daily-changes';
import { figuresOfTally } from '../figures';
import { KernelMarket } from '../kernel/kernel-market';
import { KernelRun, type KernelStrategy } from '../kernel/kernel-run';
import { unknownTerm } from '../kernel/kernel-terms';
import { NeedsEngineError } from '../kernel/needs-engine-error';
import type { Screening, Wanted } from '../kernel/screened';
import { pricesVersion } from '../recorded-prices';
import { BacktestRefusedError } from '../period';
import { StrategyNotLoadedError } from './strategy-context';
import type { RunStart } from './thread-messages';

/** A strategy that is screened. */
export interface ScreenedStrategy extends KernelStrategy {
  /** Whether it has left work for later, without a promise. */
  readonly defersWork: boolean;
}

/** The last market that this thread has read, and what it was read from. */
let last: { readonly from: string; readonly market: Promise<KernelMarket> } | null = null;

/**
 * Runs a strategy in the kernel.
 * @param load makes the strategy, with its time under watch
 */
export async function screened(start: RunStart, wanted: Wanted, load: () => ScreenedStrategy): Promise<Screening> {
  const { spec, limits, latencyMs } = start;
  // What a strategy does later, in a promise, happens in the engine between two minutes, and here after the run.
  let isSynchronous = true;
  let stop: ReturnType<typeof promiseHooks.onInit> | null = null;
  try {
    const market = await marketOf(start);
    stop = promiseHooks.onInit(() => (isSynchronous = false));
    const strategy = load();
    const { loaded } = strategy;
    const unknown = unknownTerm({ spec, loaded, limits, latencyMs, listing: market.listing });
    if (unknown !== null) return { needsEngine: unknown };
    const { startMs, endMs } = market.spanOf(start, loaded.pastBars[market.stream.alias] ?? 0);
    const run = new KernelRun(spec, strategy, market, limits, startMs, endMs, {
      ledger: wanted.ledger,
      curve: false,
    }).run();
    if (!isSynchronous || strategy.defersWork) return { needsEngine: 'it uses promises' };
    const { curve, tally } = run;
    const figures = figuresOfTally(tally, spec.capital, curve);
    const days = wanted.days ? changesByDay(curve) : null;
    return { screened: { startMs, endMs, figures, days, ledger: wanted.ledger ? (run.ledger?.fills ?? []) : null } };
  } catch (error) {
    if (error instanceof NeedsEngineError) return { needsEngine: error.message };
    if (error instanceof StrategyNotLoadedError) return { refused: error.message };
    // The engine refuses it in the same words.
    if (isRefusal(error)) return { needsEngine: 'it was refused' };
    throw error;
  } finally {
    if (stop) Reflect.apply(stop, undefined, []);
  }
}

/** The market of a run; the same one is read once in the life of the thread: a search runs many sets over it. */
function marketOf({ spec, files, broker, acceptFaulty }: RunStart): Promise<KernelMarket> {
  const { streams, capital: balance } = spec;
  const from = JSON.stringify([files.map(pricesVersion), streams, balance, broker, acceptFaulty]);
  // Not beside the next one: prices of years are large.
  if (last?.from !== from)
    last = { from, market: KernelMarket.open({ files, streams, balance, broker, acceptFaulty }) };
  return last.market;
}

function isRefusal(error: unknown): boolean {
  return [BacktestRefusedError, RecordingError, SettingsError, SettingRefused].some((kind) => error instanceof kind);
}
