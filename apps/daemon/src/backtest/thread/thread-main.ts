import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { RecordingError } from '@libs/simulator';
import { SettingRefused, SettingsError } from '@libs/settings';
import type { Stream } from '@libs/strategy';
import type { Deployment, Reaction } from '../../strategies/worker/messages';
import { refuseCodeOfTexts } from '../../strategies/worker/world';
import { Backtest, type LoadedStrategy } from '../backtest';
import { BacktestGateway } from '../backtest-gateway';
import { BacktestMarket } from '../backtest-market';
import { buffersOf, type PackedResult } from '../packed-result';
import { PortfolioBacktest } from '../portfolio-backtest';
import { portfolioBuffers, type PackedPortfolioResult } from '../portfolio-result';
import { StrategiesRefusedError, type StrategyProblem } from '../strategies-refused-error';
import { BacktestRefusedError } from '../period';
import { StrategyThrewError } from '../strategy-threw-error';
import { screened, type ScreenedStrategy } from './screening';
import { StrategyContext, StrategyNotLoadedError } from './strategy-context';
import type {
  Failure,
  FromThread,
  PortfolioStart,
  RunStart,
  ScreenStart,
  ThreadStart,
  DeployedStrategy,
} from './thread-messages';
import type { StrategySpec } from '../../core/strategy-spec';
import type { BarsByStream } from '../../strategies/worker/warmup';

/** The thread of backtests, one at a time: the market, the simulated broker, the core and the strategy, one call after another. */
const port = parentPort;
if (!port) throw new Error('this file is the entry of a worker thread');
const { pulse: shared, maxExternalBytes, context } = workerData as ThreadStart;
const pulse = new Int32Array(shared);
/** Events after which the strategy's memory outside of the heap is measured. */
const eventsPerMeasure = 16;
/** Events of a run in the kernel between two signs of life. */
const eventsPerBeat = 1_024;

// The context of a strategy shares functions of this realm, whose constructors would lead out of it.
refuseCodeOfTexts();

const post = (message: FromThread): void => port.postMessage(message);

port.on('message', (start: RunStart | PortfolioStart | ScreenStart) => {
  done(start).catch((error: unknown) => post({ type: 'failed', failure: failureOf(error) }));
});

function done(start: RunStart | PortfolioStart | ScreenStart): Promise<void> {
  if ('portfolio' in start) return runPortfolio(start).then(sendPortfolio);
  return 'screen' in start ? screen(start) : run(start).then(send);
}

async function screen({ screen: start, wanted }: ScreenStart): Promise<void> {
  Atomics.store(pulse, 1, 0);
  const ignore = (): void => undefined;
  process.on('unhandledRejection', ignore);
  const screening = await screened(start, wanted, () => {
    // The whole run is a part of the strategy.
    Atomics.add(pulse, 0, 1);
    return screenedStrategy(loadedForScreening(start.deployment));
  }).finally(() => Atomics.add(pulse, 0, Atomics.load(pulse, 0) % 2));
  // Promises of the strategy, whose errors the engine reports.
  await new Promise((done) => setImmediate(done));
  process.off('unhandledRejection', ignore);
  post({ type: 'screened', screening });
}

function send(result: PackedResult): void {
  port?.postMessage({ type: 'done', result } satisfies FromThread, buffersOf(result));
}

function sendPortfolio(result: PackedPortfolioResult): void {
  port?.postMessage({ type: 'portfolio done', result } satisfies FromThread, portfolioBuffers(result));
}

async function run(start: RunStart): Promise<PackedResult> {
  const { deployment, spec, limits, barWaitMs, latencyMs } = start;
  const strategy = running(() => StrategyContext.load(context, deployment));
  const blame = (reason: unknown): void => strategy.blame(reason);
  process.on('unhandledRejection', blame);
  const { streams, capital: balance } = spec;
  const { pastBars } = strategy.loaded;
  const market = await BacktestMarket.open({ ...pricesOf(start), streams, pastBars, balance });
  try {
    const gateway = new BacktestGateway(market, limits, latencyMs);
    const backtest = new Backtest(spec, watched(strategy), market, gateway, barWaitMs);
    return await backtest.run(progressOf(start));
  } finally {
    await market.close();
    process.off('unhandledRejection', blame);
  }
}

async function runPortfolio(start: PortfolioStart): Promise<PackedPortfolioResult> {
  const { portfolio, limits, barWaitMs, latencyMs } = start;
  const { capital: balance } = portfolio;
  const strategies = loadedPortfolio(start.strategies, start.problems, (deployment, index) => {
    return running(() => StrategyContext.load(context, deployment), index);
  });
  const blame = (reason: unknown, promise: unknown): void => {
    strategies.find(({ context }) => context.owns(promise))?.context.blame(reason);
  };
  process.on('unhandledRejection', blame);
  const { streams, pastBars } = warmedUp(strategies);
  const market = await BacktestMarket.open({ ...pricesOf(start), streams, pastBars, balance });
  try {
    for (const { spec, received } of start.strategies) market.replay(spec.streams, received);
    const gateway = new BacktestGateway(market, limits, latencyMs);
    const parts = strategies.map(({ spec, context }, index) => {
      return new Backtest(spec, watched(context, index), market, gateway, barWaitMs, 'halt');
    });
    const backtest = new PortfolioBacktest(portfolio, parts, market);
    return await backtest.run(progressOf(start));
  } finally {
    await market.close();
    process.off('unhandledRejection', blame);
  }
}

function pricesOf({ files, fromMs, toMs, leadMs = 0, broker, acceptFaulty }: RunStart | PortfolioStart) {
  return { files, fromMs, toMs, leadMs, broker, acceptFaulty };
}

/** Posts how far a run is, to a caller that shows it. */
function progressOf({ showsProgress }: Pick<RunStart, 'showsProgress'>): (share: number) => void {
  return showsProgress ? (share) => post({ type: 'progress', share }) : () => undefined;
}

/** The strategy, with its time and its memory under watch. @param index its place in the start of the run */
function watched(strategy: LoadedStrategy, index = 0): LoadedStrategy {
  const mostBytes = externalBytes() + maxExternalBytes;
  let events = 0;
  return {
    loaded: strategy.loaded,
    handle(event, view): Reaction {
      Atomics.store(pulse, 1, index);
      Atomics.add(pulse, 0, 1);
      const reaction = strategy.handle(event, view);
      Atomics.add(pulse, 0, 1);
      if (++events % eventsPerMeasure === 0) checkMemory(mostBytes);
      return reaction;
    },
    rest: () => strategy.rest(),
  };
}

/** The context of the strategy that was screened last, and the file that it ran. */
let screenedLast: { readonly code: string; readonly file: string; readonly strategy: StrategyContext } | null = null;

/** The context of one set serves the next: in a new one, each function of the strategy would be compiled again. */
function loadedForScreening(deployment: Deployment): StrategyContext {
  const { code, file } = deployment;
  const known = screenedLast?.code === code && screenedLast.file === file ? screenedLast.strategy : null;
  screenedLast = null;
  const strategy = known?.again(deployment) ?? StrategyContext.load(context, deployment);
  screenedLast = { code, file, strategy };
  return strategy;
}

/** As {@link watched}, for the kernel, where a look at each event would take as long as the event. */
function screenedStrategy(strategy: StrategyContext): ScreenedStrategy {
  const mostBytes = externalBytes() + maxExternalBytes;
  let unbeaten = 0;
  let passed: Int32Array<ArrayBuffer> = new Int32Array(1);
  const beat = (): void => {
    unbeaten = 0;
    Atomics.add(pulse, 0, 2);
    checkMemory(mostBytes);
  };
  return {
    loaded: strategy.loaded,
    get defersWork() {
      return strategy.defersWork;
    },
    showBars(stream, numbers, view, index): void {
      passed = index;
      strategy.showBars(stream, numbers, view, index);
    },
    handle(event, view): Reaction {
      if (++unbeaten >= eventsPerBeat) beat();
      return strategy.handle(event, view);
    },
    bars(from, until, isPast): Reaction | null {
      for (let at = from; at < until; at += eventsPerBeat) {
        const reaction = strategy.bars(at, Math.min(at + eventsPerBeat, until), isPast);
        unbeaten += (passed[0] ?? 0) + 1 - at;
        if (unbeaten >= eventsPerBeat) beat();
        if (reaction !== null) return reaction;
      }
      return null;
    },
  };
}

/** Runs a part of the strategy under the watchdog. */
function running<Result>(part: () => Result, index = 0): Result {
  Atomics.store(pulse, 1, index);
  Atomics.add(pulse, 0, 1);
  try {
    return part();
  } finally {
    Atomics.add(pulse, 0, 1);
  }
}

/** The heap limit does not count what typed arrays hold outside of it. */
function checkMemory(mostBytes: number): void {
  const bytes = externalBytes();
  if (bytes <= mostBytes) return;
  const error = new Error(`out of memory: ${bytes} bytes are allocated outside the heap`);
  // Outside of any promise, so that the thread ends with it.
  queueMicrotask(() => {
    throw error;
  });
  throw error;
}

function externalBytes(): number {
  return getHeapStatistics().external_memory;
}

function failureOf(error: unknown): Failure {
  if (error instanceof SettingsError) return { kind: 'settings', problems: error.problems };
  if (!(error instanceof Error)) return { kind: 'bug', message: String(error) };
  const { message } = error;
  if (error instanceof StrategyNotLoadedError) return { kind: 'strategy refused', message };
  if (error instanceof StrategiesRefusedError) return { kind: 'strategies refused', problems: error.problems };
  if (error instanceof StrategyThrewError) return { kind: 'strategy threw', message };
  if (error instanceof BacktestRefusedError || error instanceof RecordingError)
    return { kind: 'backtest refused', message };
  if (error instanceof SettingRefused) return { kind: 'setting', message };
  return { kind: 'bug', message: error.stack ?? message };
}

/** A strategy of a portfolio in its own context. */
interface ContextStrategy {
  readonly spec: StrategySpec;
  readonly context: StrategyContext;
}

/**
 * Loads the strategies of a portfolio.
 * @param known problems of strategies that could not be bundled
 * @throws StrategiesRefusedError naming all that cannot be loaded
 */
function loadedPortfolio(
  strategies: readonly DeployedStrategy[],
  known: readonly StrategyProblem[],
  load: (deployment: Deployment, index: number) => StrategyContext,
): readonly ContextStrategy[] {
  const problems = [...known];
  const loaded = strategies.flatMap(({ spec, deployment }, index): ContextStrategy[] => {
    try {
      return [{ spec, context: load(deployment, index) }];
    } catch (error) {
      if (!(error instanceof StrategyNotLoadedError)) throw error;
      problems.push({ name: spec.name, problem: error.message });
      return [];
    }
  });
  if (problems.length > 0) throw new StrategiesRefusedError(problems);
  return loaded;
}

/** The streams of all strategies, each under an alias with the name of its strategy, and the past bars that each needs. */
function warmedUp(strategies: readonly ContextStrategy[]): {
  readonly streams: readonly Stream[];
  readonly pastBars: BarsByStream;
} {
  const all = strategies.flatMap(({ spec, context }) =>
    spec.streams.map((stream) => {
      const alias = `${spec.name} ${stream.alias}`;
      return { stream: { ...stream, alias }, bars: context.loaded.pastBars[stream.alias] ?? 0 };
    }),
  );
  return {
    streams: all.map(({ stream }) => stream),
    pastBars: Object.fromEntries(all.map(({ stream, bars }) => [stream.alias, bars])),
  };
}
