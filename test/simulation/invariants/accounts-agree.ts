import type { Ask } from '../asks';
import type { SendRecord } from '../sends';

/**
 * At the end clients and broker agree: what was acknowledged was done once, what was refused was not done.
 * @param sends all that asked the broker for the same
 * @param asked the requests behind them, all with a last word
 */
export function storiesDiffer(marker: string, sends: readonly SendRecord[], asked: readonly Ask[]): string[] {
  const done = sends.filter(({ fate }) => fate === 'done');
  const acknowledged = asked.filter((ask) => ask.lastWord === 'done' && isFor(ask, marker));
  const least = acknowledged.filter(isProvenByOrder).length;
  const most = asked.filter((ask) => acknowledged.includes(ask) || ask.lastWord === 'undecidable').length;
  const known = done.filter(({ isForgotten }) => !isForgotten);
  if (done.length >= least && known.length <= most) return [];
  const words = asked.map(({ key, lastWord }) => `${key} ${lastWord}`).join(', ');
  return [`${marker} was done ${done.length} times, and the clients were answered: ${words}`];
}

/** Other parameters under the key may be the ones that were acknowledged. */
function isFor({ doneMarker }: Ask, marker: string): boolean {
  return doneMarker === null || doneMarker === marker;
}

/** A success without an order of its own may mean that nothing was left to do. */
function isProvenByOrder({ order }: Ask): boolean {
  return order !== null;
}
