import { integer, nullable, text } from './field';

/** A message that its receiver refused for a day. It is not sent any more. */
export const setAsideNotificationFields = {
  channel: text('ops', 'Channel, or recipient of an e-mail channel, as in GET /health.'),
  id: text('trade-100001-1042', 'The same on every channel.'),
  type: text('trade', 'The rule, in the singular, or `events_missed`.'),
  at: text('2026-01-05T10:00:00.250Z', 'When it happened, UTC.'),
  account: nullable(integer(100001, 'Login; null if none was known.')),
  text: text('position 530218319 opened: BUY 0.1 EURUSD'),
  reason: text('HTTP 400', 'The last answer of the receiver.'),
  refused_at: text('2026-01-06T10:05:00.000Z', 'When it was set aside, UTC.'),
};

/** What became of a call that names messages that were set aside. */
export const setAsideChangeFields = {
  message: text('1 notification of ops queued to be sent again'),
  channel: text('ops'),
};
