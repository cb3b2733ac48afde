import { Decimal } from 'decimal.js';
import { lotsText, priceText, volumeText } from '@libs/records';
import { type TradeOrder, type TradePosition, subtractVolume } from '@libs/terminal-client';
import { isShownAsBefore } from '../orders/kept-values';
import { closes, type IntentRecord } from '../trade-core/journal-records';
import { claimedTicket } from '../trade-core/ticket-claims';
import { tagPattern } from '../trade-journal/key-marks';
import { isExit, type ClaimOf } from '../trade-journal/trace-match';
import type { BrokerSnapshot } from './broker-snapshot';
import type { Difference } from './reconcile.response';

/** The part of the journal that is compared. */
export interface JournalView {
  /** Settled and open intents of the lookback period, oldest first. */
  readonly intents: readonly IntentRecord[];
  readonly claimOf: ClaimOf;
  /** Sends in flight, and those of unknown outcome. */
  readonly open: readonly IntentRecord[];
  /** Whether a list may still be behind an executed send. */
  readonly mayBeBehind: (intent: IntentRecord) => boolean;
  /** Digits of a symbol's prices, for messages; undefined while they are not known. */
  readonly digitsOf: (symbol: string) => number | undefined;
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

/** Differences of what is open now: positions and orders without a request, and levels that no request set. */
export function findOpenDifferences(
  open: Pick<BrokerSnapshot, 'positions' | 'orders'>,
  journal: JournalView,
): Difference[] {
  const broker = { ...open, historyOrders: [], deals: [] };
  return [...withoutIntent(broker, journal), ...open.positions.flatMap((position) => levelMismatch(position, journal))];
}

/** Orders that the broker acknowledged by ticket and now has in no list. */
function intentsWithoutTrace(broker: BrokerSnapshot, { intents }: JournalView): Difference[] {
  const known = new Set([
    ...[...broker.orders, ...broker.historyOrders].map(({ ticket }) => ticket),
    ...broker.deals.map(({ order }) => order),
    ...broker.positions.map(({ ticket }) => ticket),
  ]);
  return intents.flatMap((intent) => {
    const ticket = claimedTicket(intent);
    if (ticket === null || known.has(ticket)) return [];
    const message = `order ${ticket} was acknowledged, but the broker has no trace of it`;
    return [
      difference('intent_without_trace', message, { ticket, intent_id: intent.id, symbol: intent.request.symbol }),
    ];
  });
}

/**
 * Positions and pending orders without a request. External ones did not come through this gateway; others may be the effect of a
 * request whose outcome is not known yet, and are not disowned.
 */
function withoutIntent({ positions, orders }: BrokerSnapshot, journal: JournalView): Difference[] {
  const { claimOf } = journal;
  return [
    ...positions
      .filter(({ ticket, identifier }) => !claimOf(ticket) && !claimOf(identifier))
      .map((position) => external('position', position, journal)),
    ...orders
      .filter(({ ticket, position_id }) => !claimOf(ticket) && !claimOf(position_id))
      .map((order) => external('order', order, journal)),
  ];
}

function external(
  what: 'position' | 'order',
  row: Pick<TradeOrder, 'ticket' | 'symbol' | 'comment' | 'magic'>,
  { open }: JournalView,
): Difference {
  const { ticket, symbol, comment, magic } = row;
  const sends = open.filter(({ request }) => request.symbol === symbol);
  const owner =
    sends.find(({ request }) => request.comment === comment) ??
    sends.find(({ request }) => request.magic === magic) ??
    sends[0];
  if (owner) {
    const message = `${what} ${ticket} may be the effect of request ${owner.key}, whose outcome is not known yet`;
    return difference('undecided', message, { ticket, symbol, intent_id: owner.id });
  }
  if (tagPattern.test(comment)) {
    const message = `${what} ${ticket} has the tag of a key of a gateway, and the journal has no request for it`;
    return difference('undecided', message, { ticket, symbol });
  }
  const message = `${what} ${ticket} did not come through this gateway`;
  return difference(what === 'position' ? 'position_without_intent' : 'order_without_intent', message, {
    ticket,
    symbol,
  });
}

/** Compares the levels that were last set with those in force; levels set before the lookback period are unknown. */
function levelMismatch(
  position: TradePosition,
  { intents, claimOf, open, mayBeBehind, digitsOf }: JournalView,
): Difference[] {
  if (open.some((send) => mayChange(send, position))) return [];
  const opening = intents.find(({ id }) => id === claimOf(position.identifier)?.intentId);
  const changes = intents.filter(
    ({ purpose, request, outcome }) =>
      purpose === 'modify_levels' && request.position === position.ticket && outcome.kind === 'done',
  );
  const last = changes.at(-1) ?? (opening?.outcome.kind === 'done' ? opening : undefined);
  if (!last) return [];
  const late = changes.filter(mayBeBehind).reverse();
  const text = (level: number): string => (level === 0 ? 'none' : priceText(level, digitsOf(position.symbol)));
  return (['sl', 'tp'] as const)
    .filter((level) => last.request[level] !== position[level] && !isShownAsBefore(position, [level], late))
    .map((level) =>
      difference(
        'level_mismatch',
        `${level} of position ${position.ticket} is ${text(position[level])}, last set to ${text(last.request[level])}`,
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
  if (journal.open.some((send) => mayChange(send, position))) return [];
  const opening = journal.intents.find(({ id }) => id === journal.claimOf(position.identifier)?.intentId);
  if (opening?.outcome.kind !== 'done' || opening.purpose !== 'open' || opening.outcome.result.volume <= 0) return [];
  const isAddedTo = broker.deals.some(
    (deal) => deal.position_id === position.identifier && !isExit(deal) && deal.order !== position.identifier,
  );
  if (isAddedTo) return [];
  const closed = journal.intents
    .filter(({ purpose, positionId, by }) => {
      return closes(purpose) && (positionId === position.identifier || by?.positionId === position.identifier);
    })
    .reduce((sum, { outcome }) => (outcome.kind === 'done' ? sum.plus(outcome.result.volume) : sum), new Decimal(0));
  const expected = subtractVolume(opening.outcome.result.volume, closed.toNumber());
  if (expected === position.volume) return [];
  const message = `position ${position.ticket} has ${lotsText(position.volume)}, ${volumeText(expected)} according to the journal`;
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

/**
 * Whether a send that is not settled may have changed a position: one for it, or an order of its symbol, which adds to it on an account
 * that nets. An order that is given up as undecidable hides no difference for good.
 */
function mayChange({ purpose, request, outcome }: IntentRecord, { ticket, symbol }: TradePosition): boolean {
  const isGivenUp = outcome.kind === 'unknown' && outcome.undecidable === true;
  const isNamed = request.position === ticket || request.position_by === ticket;
  return isNamed || (purpose === 'open' && request.symbol === symbol && !isGivenUp);
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
