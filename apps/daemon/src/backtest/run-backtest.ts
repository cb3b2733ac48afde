import type { OperatorLimits } from '@libs/order-drafts';
import type { StrategySpec } from '../core/strategy-spec';
import { inStreamOrder } from '../core/bar-sequence';
import { bundleStrategy, type Bundle } from '../strategies/strategy-bundler';
import type { StateText } from '../core/records';
import type { BacktestResult } from './backtest-result';
import { backtestBarWaitMs, backtestLimits } from './backtest.config';
import type { Screening, Wanted } from './kernel/screened';
import type { Period } from './period';
import { KeptThread } from './thread/kept-thread';

export type { BacktestResult, BarPoint } from './backtest-result';

export interface BacktestOptions extends Period {
  /** The strategy as the configuration would have it; its streams' broker is `backtest`. */
  readonly spec: StrategySpec;
  readonly files: readonly string[];
  /** Settings of the simulated broker by their names, such as SIM_LEVERAGE. */
  readonly broker?: Readonly<Record<string, string>>;
  /** How long bars of one instant wait for those of other streams, in milliseconds of market time; 2000 when omitted. */
  readonly barWaitMs?: number;
  /** The operator's limits; omitted: those of a gateway without any such setting. */
  readonly limits?: OperatorLimits;
  /** Market time from the decision of the strategy until its request reaches the broker, in milliseconds; 0 when omitted. */
  readonly latencyMs?: number;
  /** Whether faulty rows are skipped and crossed asks raised, instead of refused; false when omitted. */
  readonly acceptFaulty?: boolean;
  /** What the strategy kept before the run; omitted: nothing. */
  readonly state?: StateText;
  /** An earlier bundle of the strategy file; if omitted, the file is bundled again. */
  readonly bundle?: Bundle;
  /** Called now and then with how far it is, 0 to 1. */
  readonly onProgress?: ((share: number) => void) | null;
}

/**
 * Runs a strategy over recorded prices: the same file, books and rules as live, the simulated broker beside it in one
 * thread, and market time as the only time.
 * @param kept runs this backtest and the next ones; omitted: a thread of its own
 * @throws StrategyRefusedError, StrategyThrewError, ThreadLostError, or an error naming what cannot be used
 */
export async function runBacktest(options: BacktestOptions, kept?: KeptThread): Promise<BacktestResult> {
  const start = await startOf(options);
  const { onProgress = null } = options;
  if (kept) return kept.run(start, onProgress);
  const own = new KeptThread();
  return own.run(start, onProgress).finally(() => own.end());
}

/** Runs a strategy in the kernel, where that knows all that the run needs. @throws as {@link runBacktest} */
export async function screenBacktest(options: BacktestOptions, wanted: Wanted, kept: KeptThread): Promise<Screening> {
  const { deployment, ...start } = await startOf(options);
  const code = options.bundle?.screenedCode ?? deployment.code;
  return kept.screen({ ...start, deployment: { ...deployment, code } }, wanted);
}

/** What a thread is started with. */
async function startOf(options: BacktestOptions): Promise<Parameters<KeptThread['run']>[0]> {
  const { files, fromMs, toMs, leadMs = 0, broker = {}, limits = backtestLimits({}) } = options;
  const { barWaitMs = backtestBarWaitMs({}), latencyMs = 0, acceptFaulty = false } = options;
  // The order in which they are listed has no effect.
  const spec = { ...options.spec, streams: inStreamOrder(options.spec.streams) };
  const { name, params, streams } = spec;
  const { code, file, source } = options.bundle ?? (await bundleStrategy(spec.module));
  const deployment = {
    name,
    code,
    file,
    source,
    params,
    streams,
    idPrefix: '',
    state: options.state ?? null,
  };
  const prices = { files, fromMs, toMs, leadMs, acceptFaulty };
  return { spec, ...prices, broker, limits, barWaitMs, latencyMs, deployment };
}
