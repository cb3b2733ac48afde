import { Decimal } from 'decimal.js';
import { DealEntry, type TradeOrder, type TradePosition, subtractVolume } from '@libs/terminal-client';
import type { IntentRecord, TicketClaim } from '../trade-journal/journal-records';
import { makesOrder } from '../trade-journal/journal-writer';
import type { BrokerSnapshot } from './broker-snapshot';
import type { Difference } from './reconcile.response';

/** The part of the journal that is compared. */
export interface JournalView {
  /** Settled and open intents of the lookback period, oldest first. */
  readonly intents: readonly IntentRecord[];
  readonly claimOf: (ticket: number) => TicketClaim | undefined;
}

/** Differences between broker and journal; empty if they agree. */
export function findDifferences(broker: BrokerSnapshot, journal: JournalView): Difference[] {
  return [
    ...intentsWithoutTrace(broker, journal),
    ...withoutIntent(broker, journal),
    ...broker.positions.flatMap((position) => [
      ...levelMismatch(position, journal),
      ...volumeMismatch(position, broker, journal),
    ]),
  ];
}

/** Orders that the broker acknowledged by ticket and now has in no list. */
function intentsWithoutTrace(broker: BrokerSnapshot, { intents }: JournalView): Difference[] {
  const known = new Set([
    ...[...broker.orders, ...broker.historyOrders].map(({ ticket }) => ticket),
    ...broker.deals.map(({ order }) => order),
    ...broker.positions.map(({ ticket }) => ticket),
  ]);
  return intents.flatMap((intent) => {
    const ticket = madeOrder(intent);
    if (ticket === null || known.has(ticket)) return [];
    const message = `order ${ticket} was acknowledged, but the broker has no trace of it`;
    return [
      difference('intent_without_trace', message, { ticket, intent_id: intent.id, symbol: intent.request.symbol }),
    ];
  });
}

/** External positions and pending orders, which did not come through this gateway. */
function withoutIntent({ positions, orders }: BrokerSnapshot, { claimOf }: JournalView): Difference[] {
  const foreignPositions = positions
    .filter(({ ticket, identifier }) => !claimOf(ticket) && !claimOf(identifier))
    .map(({ ticket, symbol }) =>
      difference('position_without_intent', `position ${ticket} did not come through this gateway`, {
        ticket,
        symbol,
      }),
    );
  const foreignOrders = orders
    .filter(({ ticket, position_id }) => !claimOf(ticket) && !claimOf(position_id))
    .map(({ ticket, symbol }: TradeOrder) =>
      difference('order_without_intent', `order ${ticket} did not come through this gateway`, { ticket, symbol }),
    );
  return [...foreignPositions, ...foreignOrders];
}

/** Compares the levels that were last set with those in force; levels set before the lookback period are unknown. */
function levelMismatch(position: TradePosition, { intents, claimOf }: JournalView): Difference[] {
  const opening = intents.find(({ id }) => id === claimOf(position.identifier)?.intentId);
  const changes = intents.filter(
    ({ purpose, request, outcome }) =>
      purpose === 'modify_levels' && request.position === position.ticket && outcome.kind === 'done',
  );
  const last = changes.at(-1) ?? (opening?.outcome.kind === 'done' ? opening : undefined);
  if (!last) return [];
  return (['sl', 'tp'] as const)
    .filter((level) => last.request[level] !== position[level])
    .map((level) =>
      difference(
        'level_mismatch',
        `${level} of position ${position.ticket} is ${position[level]}, last set to ${last.request[level]}`,
        {
          ticket: position.ticket,
          symbol: position.symbol,
          field: level,
          expected: last.request[level],
          actual: position[level],
        },
      ),
    );
}

/**
 * Compares opened less closed volume with the open volume, only for positions that were opened in the lookback period
 * by a single order.
 */
function volumeMismatch(position: TradePosition, broker: BrokerSnapshot, journal: JournalView): Difference[] {
  const opening = journal.intents.find(({ id }) => id === journal.claimOf(position.identifier)?.intentId);
  if (opening?.outcome.kind !== 'done' || opening.purpose !== 'open' || opening.outcome.result.volume <= 0) return [];
  const isAddedTo = broker.deals.some(
    ({ position_id, entry, order }) =>
      position_id === position.identifier && entry !== DealEntry.OUT && order !== position.identifier,
  );
  if (isAddedTo) return [];
  const closed = journal.intents
    .filter(({ purpose, positionId }) => purpose.startsWith('close') && positionId === position.identifier)
    .reduce((sum, { outcome }) => (outcome.kind === 'done' ? sum.plus(outcome.result.volume) : sum), new Decimal(0));
  const expected = subtractVolume(opening.outcome.result.volume, closed.toNumber());
  if (expected === position.volume) return [];
  const message = `position ${position.ticket} has ${position.volume} lots, ${expected} according to the journal`;
  return [
    difference('volume_mismatch', message, {
      ticket: position.ticket,
      symbol: position.symbol,
      field: 'volume',
      expected,
      actual: position.volume,
    }),
  ];
}

function madeOrder({ purpose, outcome }: IntentRecord): number | null {
  return makesOrder(purpose) && outcome.kind === 'done' && outcome.result.order > 0 ? outcome.result.order : null;
}

function difference(
  kind: Difference['kind'],
  message: string,
  facts: Partial<Omit<Difference, 'kind' | 'message'>>,
): Difference {
  return {
    kind,
    message,
    ticket: null,
    symbol: null,
    intent_id: null,
    field: null,
    expected: null,
    actual: null,
    ...facts,
  };
}
