import type { PositionRecord } from '@libs/gateway-client';
import type { StrategySpec } from './strategy-spec';
import type { OwnedTicket, StrategyRecord } from './records';

/** A position that a strategy may adopt, by the ticket of the books. */
export interface ExternalPosition {
  readonly ticket: number;
  readonly symbol: string;
}

/**
 * Positions under a strategy's magic that no strategy owns or owned.
 * @param rows positions under the magic in the last account snapshot; they may lag behind deals
 * @param isKnown whether a ticket is or was in the ledger of any strategy, also of one that is no longer deployed
 */
export function externalPositions(
  rows: readonly Pick<PositionRecord, 'identifier' | 'symbol'>[],
  isKnown: (ticket: number) => boolean,
): readonly ExternalPosition[] {
  return rows
    .filter(({ identifier }) => !isKnown(identifier))
    .map(({ identifier, symbol }) => ({ ticket: identifier, symbol }));
}

/** What follows from positions that a strategy did not open. */
export type ExternalReaction =
  | { readonly type: 'none' }
  /** It concerns the operator, and changes nothing: the strategy is halted already, or takes them as its own. */
  | { readonly type: 'warn'; readonly reason: string }
  | { readonly type: 'halt'; readonly reason: string }
  | { readonly type: 'adopt'; readonly tickets: readonly OwnedTicket[] };

/** The strategy that they concern. */
interface Owner {
  readonly spec: Pick<StrategySpec, 'name' | 'magic' | 'streams' | 'onMismatch'>;
  readonly record: Pick<StrategyRecord, 'halt'>;
}

/**
 * Decides about external positions under a strategy's magic.
 * @param inFlight requests of the strategy on the gateway: one of them may have opened a position
 */
export function reactionTo(
  positions: readonly ExternalPosition[],
  { spec, record }: Owner,
  broker: string,
  inFlight: number,
): ExternalReaction {
  if (positions.length === 0 || inFlight > 0) return { type: 'none' };
  // After it moved to other gateways, the magic may be another strategy's here.
  if (!spec.streams.some((stream) => stream.broker === broker)) return { type: 'none' };
  if (spec.onMismatch === 'adopt') {
    return { type: 'adopt', tickets: positions.map((position) => adopted(position, spec, broker)) };
  }
  if (record.halt !== null) return { type: 'none' };
  const names = positions.map(({ ticket }) => ticket).join(', ');
  return { type: 'halt', reason: `positions under magic ${spec.magic} that the strategy did not open: ${names}` };
}

/** Decides about a position that the strategy did not open and that an order of it filled into. */
export function reactionToFillInto(position: number, { spec, record }: Owner, broker: string): ExternalReaction {
  const reason = `an order filled into position ${position} on ${broker}, which the strategy did not open`;
  return { type: spec.onMismatch === 'halt' && record.halt === null ? 'halt' : 'warn', reason };
}

function adopted({ ticket, symbol }: ExternalPosition, { name, streams }: Owner['spec'], broker: string): OwnedTicket {
  const stream = streams.find((candidate) => candidate.symbol === symbol && candidate.broker === broker);
  return {
    strategy: name,
    broker,
    ticket,
    stream: stream?.alias ?? '',
    symbol,
    intentId: null,
    deals: [],
    volumeIn: '0',
    volumeOut: '0',
    closed: false,
  };
}
