import type { Fill } from '@libs/strategy';
import type { DayChange } from '../backtest/daily-changes';
import type { Figures } from '../backtest/figures';

/** The deals of a set, in the kernel and in the full engine. */
export interface Ledgers {
  readonly kernel: readonly Fill[];
  readonly engine: readonly Fill[];
}

/** What is compared of a run beside its deals. */
interface Compared {
  readonly startMs: number;
  readonly endMs: number;
  readonly figures: Figures;
  readonly haltReason: string | null;
  readonly days?: readonly DayChange[] | null;
}

/**
 * The first difference between what kernel and engine came to; null if there is none: every deal is the same, and every figure.
 * @param ledgers null where the deals of the kernel are not known
 */
export function disagreement(kernel: Compared, engine: Compared, ledgers: Ledgers | null): string | null {
  return (ledgers && dealDifference(ledgers)) ?? figureDifference(kernel, engine);
}

function dealDifference({ kernel, engine }: Ledgers): string | null {
  const deals = Math.max(kernel.length, engine.length);
  for (let at = 0; at < deals; at++) {
    const [known, found] = [kernel[at], engine[at]];
    // Texts of all deals would take longer than the kernel.
    if (known && found && isSameDeal(known, found)) continue;
    const [one, other] = [dealText(known), dealText(found)];
    if (one !== other) return `deal ${at + 1} is ${one} in the kernel and ${other} in the engine`;
  }
  return null;
}

function figureDifference(kernel: Compared, engine: Compared): string | null {
  const names = Object.keys(engine.figures) as (keyof Figures)[];
  for (const name of names) {
    const [one, other] = [kernel.figures[name], engine.figures[name]];
    if (one !== other) return `${name} is ${one} in the kernel and ${other} in the engine`;
  }
  for (const name of ['startMs', 'endMs', 'haltReason'] as const) {
    if (kernel[name] !== engine[name])
      return `${name} is ${kernel[name]} in the kernel and ${engine[name]} in the engine`;
  }
  const areSame = !kernel.days || !engine.days || JSON.stringify(kernel.days) === JSON.stringify(engine.days);
  return areSame ? null : 'the daily changes differ';
}

/** The members that {@link dealText} has. */
const members = [
  ...['timeMs', 'position', 'side', 'entry', 'reason', 'volume', 'price', 'realized'],
  ...['deal', 'intentId', 'tag', 'stream', 'symbol'],
] as readonly (keyof Fill)[];

function isSameDeal(one: Fill, other: Fill): boolean {
  return members.every((name) => one[name] === other[name]);
}

/** Members in one order, so that equal deals have one text. */
function dealText(fill: Fill | undefined): string {
  if (!fill) return 'missing';
  const { timeMs, position, side, entry, reason, volume, price, realized, deal, intentId, tag, stream, symbol } = fill;
  const what = [timeMs === null ? '–' : new Date(timeMs).toISOString(), side, entry, reason, volume, price, realized];
  return JSON.stringify([...what, { position, deal, intentId, tag, stream, symbol }]);
}
