import type { StrategySpec } from '../core/strategy-spec';
import type { Takeover } from './event-pump';
import type { LiveStrategy } from './live-strategy';
import { NotYetError } from './not-yet-error';
import type { Bundle } from './strategy-bundler';
import type { StrategyRunner } from './strategy-runner';

/** Maximum wait of a version that is ready. */
const longestMs = 10_000;
const againMs = 50;

/** The version to be replaced failed in the meantime. */
class GoneError extends Error {}

/**
 * Replaces a strategy by a new version. The new version is loaded and warmed up while the old one trades on, until both
 * have handled the same events. Book, stacks, halts and in-flight requests stay in place, so that nothing is sent twice
 * or lost.
 * @throws Error if the new version cannot be loaded or gets no turn: the old one continues. It is a temporary one if the same
 * version may take over later
 */
export async function swap(runner: StrategyRunner, spec: StrategySpec, bundle: Bundle): Promise<void> {
  await runner.settled();
  if (runner.trading.unreadable !== null) throw new Error(runner.trading.unreadable);
  if (runner.lifecycle.state !== 'running') return replaceIdle(runner, spec, bundle);
  await runner.accounts.verify(spec);
  if (spec.workerGroup !== null) await tryOut(runner, spec, bundle);
  const next = await runner.load(spec, bundle);
  try {
    await next.warmUp();
    await takeTurn(runner, next);
  } catch (error) {
    if (runner.live === next) return;
    await next.end();
    if (error instanceof GoneError) return replaceIdle(runner, spec, bundle);
    throw error;
  }
}

/**
 * Whether a version that has waited may be tried again. It is looked up without loading the version, while the strategy
 * runs.
 */
export function maySwap(runner: StrategyRunner, spec: StrategySpec): boolean {
  if (keepsMagic(runner, spec)) return false;
  return runner.lifecycle.state !== 'running' || runner.accounts.areReachable(spec);
}

/** Nothing runs: the new version only has to load before the strategy is started as it. */
async function replaceIdle(runner: StrategyRunner, spec: StrategySpec, bundle: Bundle): Promise<void> {
  const trial = await runner.load(spec, bundle, null);
  await trial.end();
  await runner.settled();
  if (runner.isOver) throw new Error('the strategy has stopped in the meantime');
  if (runner.lifecycle.state === 'running') return swap(runner, spec, bundle);
  // Requests of an earlier start too: their positions open under the magic that they were sent with.
  await runner.trading.takeUp();
  if (keepsMagic(runner, spec)) throw new NotYetError("the outcome of an entry with the strategy's magic is unknown");
  await runner.respecIdle(spec, bundle);
  await runner.restart();
}

/** Load the new version in a thread of its own first: a crash must not affect the others of its group. */
async function tryOut(runner: StrategyRunner, spec: StrategySpec, bundle: Bundle): Promise<void> {
  const trial = await runner.load(spec, bundle, null);
  try {
    await trial.warmUp();
  } finally {
    await trial.end();
  }
}

async function takeTurn(runner: StrategyRunner, next: LiveStrategy): Promise<void> {
  const { clock } = runner.services;
  const untilMs = clock.monotonicMs() + longestMs;
  const leftMs = (): number => Math.max(0, untilMs - clock.monotonicMs());
  do {
    if (runner.lifecycle.state !== 'running') throw new GoneError('the strategy failed in the meantime');
    // Queued behind the old version's events, so that the new version misses none of them.
    const turn = new VersionTurn(runner, next);
    runner.pump.add({ type: 'turn', turn });
    const taken = await Promise.race([turn.taken, clock.sleep(leftMs()).then(() => false)]);
    if (taken) return;
    await clock.sleep(againMs);
  } while (leftMs() > 0);
  throw new NotYetError(
    `the strategy could not be swapped within ${longestMs} ms: it still had events or requests in flight`,
  );
}

/** The turn of a new version among the events of the old one. */
class VersionTurn implements Takeover {
  /** Whether the new version took over; never settled if the queue is cleared before. */
  readonly taken: Promise<boolean>;
  private settle: { readonly taken: (isSo: boolean) => void; readonly failed: (error: unknown) => void } | null = null;

  constructor(
    private readonly runner: StrategyRunner,
    private readonly next: LiveStrategy,
  ) {
    this.taken = new Promise((taken, failed) => (this.settle = { taken, failed }));
  }

  async run(): Promise<void> {
    await takeOver(this.runner, this.next).then(this.settle?.taken, this.settle?.failed);
  }
}

/** The swap itself, while no event of the strategy is being handled. False if it has to wait. */
async function takeOver(runner: StrategyRunner, next: LiveStrategy): Promise<boolean> {
  const { live } = runner;
  if (!live || next.isOver) return false;
  if (keepsMagic(runner, next.spec)) return false;
  // The next version would read them as its history.
  if (live.market.holdsBars) return false;
  await next.catchUpWith(live);
  await next.adoptState();
  if (runner.live !== live || next.isOver) return false;
  live.market.leave();
  runner.queue.clearMarket();
  const committed = runner.account.respec(next.spec);
  runner.accounts.subscribe();
  runner.goLive(next);
  runner.log.info('running', { version: runner.version });
  await Promise.all([committed, runner.keepMigrated(next), live.end()]);
  return true;
}

/**
 * Whether the magic is still needed: an entry in flight would open a position under it after another strategy uses it.
 */
function keepsMagic({ spec, trading }: StrategyRunner, next: StrategySpec): boolean {
  return next.magic !== spec.magic && trading.desk.entriesInFlight > 0;
}
