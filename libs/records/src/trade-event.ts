import { flag, integer, oneOf, text } from './field';
import { signalStateNames } from './signal';

/** What each entry of the event log has. */
export const tradeEventFields = {
  seq: integer(1795075200001, 'Consecutive: the next event has the next number.'),
  event: oneOf(['position', 'order', 'deal', 'signal', 'resync'], 'position'),
  action: oneOf(
    [
      ...['opened', 'changed', 'partially_closed', 'closed', 'added', 'account_changed', 'account_accepted'],
      ...signalStateNames.filter((state) => state !== 'working'),
    ],
    'closed',
    'Of a `signal`: the state of the alert.',
  ),
  recorded_at: text('2026-01-05T10:00:00.250Z', 'Time at which the gateway detected the event, UTC.'),
  login: integer(100001),
  server: text('Simulator-Demo'),
};

/** What an event about a position, an order, a deal or a signal has besides. */
export const tradeEventSubjectFields = {
  ticket: integer(530218319, 'Ticket of the position, order or deal; a signal has none.'),
  symbol: text('EURUSD'),
  magic: integer(1000, 'Magic of the position, order, deal or source of signals.'),
};

/** The bounds of a page of the log. */
export const eventsPageFields = {
  first_seq: integer(1795075200000, 'The oldest event that is kept.'),
  last_seq: integer(1795075200001, 'The newest event.'),
  next_since: integer(1795075200001, 'Value of `since` for the next page.'),
  resync: flag(
    false,
    'True if events after `since` are no longer kept, or if `since` belongs to another log: read positions and orders again.',
  ),
};
