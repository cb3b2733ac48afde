import { flag, integer, nullable, number, oneOf, text } from './field';

/** One point at which the broker and the journal disagree. */
export const differenceFields = {
  kind: oneOf(
    [
      'intent_without_trace',
      'position_without_intent',
      'order_without_intent',
      'undecided',
      'level_mismatch',
      'volume_mismatch',
    ],
    'position_without_intent',
    '`undecided`: it may be the effect of a request in flight or of unknown outcome, or has the tag of a key.',
  ),
  message: text('position 530218319 did not come through this gateway'),
  ticket: nullable(integer(530218319, 'Of the position or order.')),
  symbol: nullable(text('EURUSD')),
  intent_id: nullable(text('6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10/0'), null),
  field: nullable(text('sl', 'Field that differs: sl, tp or volume.'), null),
  expected: nullable(number(1.16, 'Value according to the journal.'), null),
  actual: nullable(number(1.15, 'Value at the broker.'), null),
};

/** What the journal has of an idempotency key. */
export const tradeRequestFields = {
  key: text('my-bot-2026-01-05-0001'),
  route: nullable(text('POST /order', 'Route of the first use; null when it is no longer known.')),
  status: oneOf(
    ['in_progress', 'completed', 'unknown', 'recovered', 'absent', 'accepted', 'void'],
    'completed',
    '`unknown`: being looked up. `recovered`: looked up and found. `absent`: looked up, and nothing was done. ' +
      '`accepted`: it cannot be determined, and an operator accepted that. ' +
      '`void`: never sent, and nothing is ever sent under this key.',
  ),
  trace_id: nullable(
    text('4bf92f3577b34da6a3ce929d0e0e4736', 'W3C trace of the first use; null when it is no longer known.'),
  ),
  created_at: nullable(text('2026-01-05T10:00:00.000Z', 'First use, UTC; null when it is no longer known.')),
  response_status: nullable(integer(200, 'HTTP status of a replay; null while the request is in progress.')),
};

/** What the audit log has of an idempotency key, without its lines. */
export const keyedAuditFields = {
  key: text('my-bot-2026-01-05-0001'),
  complete: flag(
    true,
    'Whether the log was read from its line 1 on. If not, older lines of the key may exist: the newest 4 MiB of the log and of its rotated files are read.',
  ),
};

/** One trade request, and what came of it. */
export const recentRequestFields = {
  key: nullable(text('my-bot-2026-01-05-0001', 'Its idempotency key; null if it came without one.')),
  request_id: text('6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10', 'Of its first line in the log.'),
  created_at: text('2026-01-05T10:00:00.250Z', 'Time of its first line in the log, UTC.'),
  route: text('POST /order'),
  outcome: oneOf(
    ['done', 'in_part', 'rejected', 'refused', 'absent', 'void', 'in_progress', 'unknown', 'accepted'],
    'done',
    '`in_part`: some of its sends were not executed. `rejected`: by the broker. `refused`: by the gateway. ' +
      '`absent`: looked up, and nothing was done. `void`: never sent, and nothing is ever sent under its key. ' +
      '`unknown`: the broker may have acted. `accepted`: it stays unknown, which an operator accepted.',
  ),
  sends: integer(1, 'Sends to the broker. With several, the members below have what all of them share.'),
  error_type: nullable(text('volume_limit_exceeded', 'Why it was not done.'), null),
  setting: nullable(text('MAX_ORDER_VOLUME', 'Setting whose limit it exceeds.'), null),
  retcode_name: nullable(text('DONE')),
  login: nullable(integer(100001)),
  symbol: nullable(text('EURUSD')),
  side: nullable(oneOf(['buy', 'sell'], 'buy')),
  order_type: nullable(text('BUY')),
  volume_requested: nullable(number(0.1, 'Lots.')),
  volume_filled: nullable(number(0.1, 'Lots.')),
  price_requested: nullable(number(1.17279)),
  price_filled: nullable(number(1.17281)),
  sl: nullable(number(1.16), null),
  tp: nullable(number(1.19), null),
  magic: nullable(integer(7)),
  ticket: nullable(integer(530218319, 'Of the order.')),
  position: nullable(integer(530218319, 'That it closes or changes.'), null),
};

/** The list of them, without its rows. */
export const recentRequestsFields = {
  complete: flag(
    true,
    'Whether these are all that match. If not, there are older ones: beyond `limit`, or before the newest 4 MiB of the audit log.',
  ),
};

/** What a check of the audit log found. */
export const auditVerificationFields = {
  verified_at: text('2026-01-05T10:00:00.250Z', 'When the check began, UTC.'),
  consistent: flag(true, 'Whether no problem was found.'),
  lines: integer(4120, 'Complete lines of the current file. Rotated files are not read.'),
  first_sequence: nullable(integer(1, 'Number of its first line; above 1 after a rotation. Null without lines.')),
  last_sequence: nullable(integer(4120)),
  intents: integer(2011, 'Sends to the broker.'),
  in_flight: integer(0, 'Intents without an outcome whose request is still in progress.'),
  unknown: integer(3, 'Sends whose outcome was unknown.'),
  unresolved: integer(0, 'Those of them whose outcome is still unknown.'),
  torn: integer(0, 'Lines that a crash or a full disk cut short before they were acknowledged; they are harmless.'),
  problem_count: integer(0),
};

/** One send whose outcome is not known yet. */
export const unresolvedSendFields = {
  intent_id: text('6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10/0'),
  purpose: oneOf(
    ['open', 'place_pending', 'close', 'close_partial', 'close_by', 'modify_levels', 'modify_order', 'cancel'],
    'open',
  ),
  symbol: text('EURUSD'),
  volume: number(0.1, 'Lots; 0 where the request has none.'),
  position: nullable(integer(530218319, 'Position that is closed or modified.'), null),
  order: nullable(integer(530218319, 'Pending order that is changed.'), null),
  magic: integer(7001),
  comment: text('#1k2m3n4p5q'),
  reason: text('IPC timeout', 'Why the outcome is not known.'),
  undecidable: flag(
    false,
    'True when it is no longer looked up: the evidence of the outcome has been overwritten or removed.',
  ),
};

/** A trade request with such sends. */
export const unresolvedRequestFields = {
  client_order_id: nullable(text('my-bot-2026-01-05-0001')),
  id: text(
    '6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10',
    'Id in the journal. It names a request without a key in PUT /trade_requests/{key}/accept.',
  ),
  request_id: text('6f1c1b1e-6d0b-4b8e-9a53-0c1d6a6f9a10'),
  route: text('POST /order'),
  created_at: text('2026-01-05T10:00:00.000Z'),
};
