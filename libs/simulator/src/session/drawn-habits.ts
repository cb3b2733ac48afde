import { Random } from '../market/generated/random';
import type { Fault } from './fault';

/** The habits of a broker: the same ones always, or others in each session. */
export type HabitChoice = WrittenHabits & { readonly seed: number };

export type WrittenHabits = { readonly kind: 'fixed'; readonly habits: readonly Fault[] } | { readonly kind: 'drawn' };

/** What {@link drawnHabits} draws from: each leaves a gateway with a broker that it can trade with. */
const makes: readonly ((random: Random) => Fault)[] = [
  (random) => ({ kind: 'session-start', shows: oneOf(random, ['old', 'empty', 'parts']), ms: upTo(random, 10_000) }),
  (random) => ({
    kind: 'late-lists',
    positionsMs: upTo(random, 3_000),
    ordersMs: upTo(random, 3_000),
    historyOrdersMs: upTo(random, 3_000),
    dealsMs: upTo(random, 3_000),
  }),
  (random) => ({ kind: 'comments', to: oneOf(random, ['empty', 'cut', 'broker']) }),
  (random) => ({ kind: 'trade-clock', seconds: -upTo(random, 5) }),
  (random) => ({ kind: 'reasons', reason: oneOf(random, [0, 1, 2]) }),
  () => ({ kind: 'magic-zero', fills: true }),
  (random) => ({ kind: 'levels', points: upTo(random, 10), moved: random.next() < 0.5 }),
  () => ({ kind: 'replaced-orders' }),
  () => ({ kind: 'float-noise' }),
  () => ({ kind: 'rows-twice' }),
  () => ({ kind: 'rows-reversed' }),
  (random) => ({ kind: 'flickering-lists', shows: oneOf(random, ['empty', 'half']), every: 2 + upTo(random, 8) }),
  (random) => ({ kind: 'late-costs', ms: upTo(random, 3_000) }),
  (random) => ({ kind: 'late-position-ids', ms: upTo(random, 3_000) }),
  (random) => ({ kind: 'late-profits', ms: upTo(random, 2_000) }),
  (random) => ({ kind: 'late-symbols', ms: upTo(random, 10_000) }),
];

/** The habits of one session: about a third of all. @param session number of the session since the start */
export function drawnHabits(seed: number, session: number): Fault[] {
  const random = new Random(seed + 7_919 * session);
  return makes.filter(() => random.next() < 1 / 3).map((make) => make(random));
}

function upTo(random: Random, most: number): number {
  return 1 + Math.floor(random.next() * most);
}

function oneOf<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random.next() * choices.length)] ?? choices[0];
}
