import type { AskKind } from './asks';
import type { Temper } from './bot';
import { combinedDisturbances, occurrences } from './combined-disturbances';
import { disturbances } from './disturbances';
import { edgeActions, edgeSettings } from './edge-plan';
import { exitActions } from './exit-plan';
import { fencedActions } from './fence-plan';
import { isIn, type Profile } from './profiles';
import { SeededRandom } from './seeded-random';
import type { Action, Plan, Step, TimedAction } from './steps';

export interface PlanOptions extends Pick<Plan, 'marginMode' | 'start'> {
  /** Virtual minutes of clients and faults. */
  readonly minutes: number;
  /** Restricts the faults; all of them if absent. */
  readonly profile?: Profile;
  /** Requests and faults come so many times more rarely: a long run that costs as much as a short one. 1 if absent. */
  readonly pace?: number;
}

const askWeights: Readonly<Record<AskKind, number>> = {
  open: 10,
  pending: 4,
  close: 5,
  close_partial: 3,
  levels: 5,
  clear_levels: 1,
  tiny_levels: 0.3,
  modify_order: 3,
  cancel: 3,
  close_all: 0.3,
};

const temperWeights: Readonly<Record<Exclude<Temper, 'crossing'>, number>> = {
  patient: 6,
  hasty: 2,
  changing: 1,
  voiding: 1.5,
  withdrawing: 0.5,
  asking: 1,
};

const reads = [
  '/health',
  '/health/ready',
  '/get_positions',
  '/orders',
  '/account',
  '/reconcile',
  '/symbol_info_tick/EURUSD',
  '/history_deals_get',
] as const;

/** Makes the plan of a seed. A seed has some kinds of faults and not others, so that the rarer ones are not drowned. */
export function planOf(seed: number, { minutes, marginMode, start, profile = 'all', pace = 1 }: PlanOptions): Plan {
  const random = new SeededRandom(`plan ${seed}`);
  const lengthMs = minutes * 60_000;
  const actions: TimedAction[] = [];
  const repeat = (usualMs: number, make: (own: SeededRandom, atMs: number) => Action | null): void => {
    const own = random.fork(`repeat ${usualMs} ${actions.length}`);
    const meanMs = usualMs * pace;
    for (let atMs = own.delayMs(meanMs, 10 * meanMs); atMs < lengthMs; atMs += own.delayMs(meanMs, 10 * meanMs) + 1) {
      const action = make(own, atMs);
      if (action) actions.push({ atMs, action });
    }
  };
  const askEveryMs = random.pick([2_000, 6_000, 15_000, 40_000]);
  const alike = random.chance(0.3) ? 0.5 : 0;
  repeat(askEveryMs, (own) => ({
    kind: 'ask',
    ask: own.weighted(askWeights),
    temper: own.weighted(temperWeights),
    which: own.next(),
    alike: own.chance(alike),
    ...(own.chance(0.03) ? { stray: true } : {}),
  }));
  repeat(20_000, (own) => ({ kind: 'read', url: own.pick(reads) }));
  repeat(12_000, () => ({ kind: 'read', url: '/health/ready' }));
  repeat(20_000, (own) => ({ kind: 'repeat', which: own.next(), changed: own.chance(0.2) }));
  for (const [name, combined] of Object.entries(combinedDisturbances)) {
    const own = random.fork(`combined: ${name}`);
    // Each combines faults of several kinds.
    if (profile === 'all' && own.chance(combined.share)) actions.push(...occurrences(combined, own, lengthMs, pace));
  }
  for (const [name, { share, everyMs, make }] of Object.entries(disturbances)) {
    const own = random.fork(name);
    if (isIn(profile, name) && own.chance(share)) repeat(own.pick(everyMs), make);
  }
  repeat(30_000, () => ({ kind: 'read', url: '/events' }));
  // Alike orders differ in nothing but their keys, and a lost journal has forgotten those.
  const losesJournal = actions.some(({ action }) => action.kind === 'lose journal');
  const steps = numbered(actions, 0).map((step) =>
    losesJournal && step.kind === 'ask' ? { ...step, alike: false } : step,
  );
  const fenced = isIn(profile, 'fences') ? fencedActions(new SeededRandom(`fences ${seed}`), lengthMs, pace) : [];
  // Drawn from numbers of their own as well, so that they do not change what else a seed does.
  const edges = profile === 'all' ? edgeActions(new SeededRandom(`edges ${seed}`), lengthMs, pace, start) : [];
  const exits = profile === 'all' ? exitActions(new SeededRandom(`exits ${seed}`), lengthMs, pace) : [];
  return {
    seed: String(seed),
    lengthMs,
    settings: {
      ...settingsOf(random.fork('settings')),
      ...limitsPerSymbol(new SeededRandom(`limits per symbol ${seed}`)),
      ...edgeSettings(new SeededRandom(`edge settings ${seed}`), { start, marginMode }),
    },
    // A fault that begins later would never end.
    steps: [
      ...[...steps, ...numbered(fenced, steps.length), ...numbered(edges, steps.length + fenced.length)],
      ...numbered(exits, steps.length + fenced.length + edges.length),
    ]
      .filter(({ atMs }) => atMs < lengthMs)
      .sort((a, b) => a.atMs - b.atMs),
    ...(marginMode ? { marginMode } : {}),
    ...chargesOf(seed),
    ...(start ? { start } : {}),
  };
}

/** Half of the brokers take a commission, which their lists may show late. */
export function chargesOf(seed: number): { readonly commission?: number } {
  return new SeededRandom(`charges ${seed}`).chance(0.5) ? { commission: 7 } : {};
}

/** Steps in the order of their time; what a client asks for depends on the number of its step. */
function numbered(actions: readonly TimedAction[], first: number): Step[] {
  const inTime = [...actions].sort((a, b) => a.atMs - b.atMs);
  return inTime.map(({ atMs, action }, index) => ({ ...action, atMs, id: first + index }));
}

/** Some operators limit the volume of each symbol, too. */
function limitsPerSymbol(random: SeededRandom): Record<string, string> {
  return random.chance(0.3) ? { MAX_OPEN_VOLUME_PER_SYMBOL: random.pick(['0.1', '0.3', '3']) } : {};
}

function settingsOf(random: SeededRandom): Record<string, string> {
  return {
    TERMINAL_CALL_TIMEOUT_MS: random.pick(['2000', '10000']),
    TERMINAL_TRADE_TIMEOUT_MS: random.pick(['2000', '20000']),
    TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: random.pick(['5', '30']),
    IDEMPOTENCY_TTL_SECONDS: random.pick(['60', '3600', '86400']),
    MAX_ORDER_VOLUME: '1',
    MAX_OPEN_VOLUME: random.pick(['0.5', '5', '100']),
    MAX_ORDERS_PER_MINUTE: random.pick(['5', '60', '1000']),
  };
}
