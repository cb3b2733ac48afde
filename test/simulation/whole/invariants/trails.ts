import type { IntentRecord, OwnedTicket } from '../../../../apps/daemon/src/core/records';
import type { SendRecord } from '../../sends';
import type { TradeAsk } from '../trade-asks';

/** A trailing stop changes the stop-loss of its position, and nothing else. */
export function trailedElse({ key, body }: TradeAsk): string[] {
  const others = Object.keys(body).filter((member) => member !== 'position' && member !== 'sl');
  const moves = typeof body['sl'] === 'number' && body['sl'] > 0;
  return [
    ...others.map((member) => `the trailing stop ${key} asks for ${member}`),
    ...(moves ? [] : [`the trailing stop ${key} asks for no stop-loss`]),
  ];
}

/** A trailing stop moves in favor of its position only. */
export function trailedBack({ number, request, standing }: SendRecord): string[] {
  if (!standing || standing.sl === 0) return [];
  const { position, sl } = request;
  const isBack = standing.isLong ? sl < standing.sl : sl > standing.sl;
  return isBack ? [`send ${number} trails the stop-loss of ${position} from ${standing.sl} back to ${sl}`] : [];
}

/**
 * A trailing stop waits until nothing else is in flight for its position.
 * @param records the requests that are on the daemon's disk
 */
export function trailedTwice(mine: IntentRecord, records: Iterable<IntentRecord>): string[] {
  return [...records]
    .filter(({ key, strategy, broker, ticket, state }) => {
      const isSamePosition = strategy === mine.strategy && broker === mine.broker && ticket === mine.ticket;
      return isSamePosition && key !== mine.key && state === 'open';
    })
    .map(({ key }) => `the trailing stop ${mine.key} of ${mine.ticket} is sent while ${key} is in flight`);
}

/** A trailing stop that was on disk goes on after a restart. @param now the same ticket in the new run */
export function trailForgotten(kept: OwnedTicket, now: OwnedTicket): string[] {
  if (JSON.stringify(kept.trail) === JSON.stringify(now.trail)) return [];
  return [`the trailing stop of ${kept.ticket} was ${JSON.stringify(kept.trail)}, and is ${JSON.stringify(now.trail)}`];
}
