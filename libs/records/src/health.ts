import { accountFields } from './account';
import { flag, integer, nullable, number, oneOf, text } from './field';

const terminalStatus = oneOf(
  ['disconnected', 'connecting', 'synchronizing', 'connected', 'reconnecting', 'cooldown'],
  'connected',
  '`synchronizing`: connected, and the lists of the terminal are not explained yet; entries are refused.',
);

/** What health and readiness both report. */
const tradingFields = {
  terminal_status: terminalStatus,
  kill_switch_active: flag(false),
};

/** Whether the gateway would take a trade request now, without the states of its checks. */
export const readinessFields = {
  status: oneOf(['ready', 'not_ready'], 'ready', '`not_ready` on the 503 answer.'),
  ...tradingFields,
};

/** The state of the gateway, without that of its parts. */
export const healthFields = {
  status: oneOf(['healthy', 'degraded'], 'healthy'),
  ...tradingFields,
  account: nullable(integer(100001, 'Login of the account, or null.')),
  api_key: oneOf(
    ['full', 'read_only'],
    'full',
    'What the key of this request permits. With `read_only`, every request that changes something answers 403.',
  ),
  uptime_seconds: integer(86400),
  version: text('0.3.0'),
};

/** What an account is, apart from its money: known also while its money is not explained. */
export const accountFactsFields = {
  server: accountFields.server,
  currency: accountFields.currency,
  leverage: accountFields.leverage,
  trade_mode: accountFields.trade_mode,
  margin_mode: accountFields.margin_mode,
};

/** Whether what the terminal shows of the account is explained. */
export const accountEvidenceFields = {
  state: oneOf(
    ['unread', 'explained', 'unexplained'],
    'explained',
    '`unread`: no session, or no look at the account in it yet. `unexplained`: the terminal shows something that no deal explains.',
  ),
  since: text('2026-01-05T08:00:00.000Z', 'Start of the state, UTC.'),
  explained_at: nullable(text('2026-01-05T10:00:00.000Z', 'Last explained look of this session, UTC.')),
  next_step: nullable(
    text('a new session with the terminal, after 10 s', 'What follows if the account stays unexplained.'),
    null,
  ),
};

/** One thing that the terminal shows of the account and nothing explains. */
export const unexplainedFields = {
  kind: text('position_missing'),
  ticket: nullable(integer(530218319, 'Of the position, order or deal.')),
  symbol: nullable(text('EURUSD')),
  message: text('position 530218319 is not shown; no deal has closed it'),
};

/** A limit on entries and its current value: entries, lots or account currency, as the setting. */
export const entryLimitFields = {
  setting: text('MAX_OPEN_VOLUME'),
  symbol: nullable(text('EURUSD', 'Symbol of a limit per symbol; null for a limit on the whole account.'), null),
  limit: number(5),
  value: nullable(number(1.2, 'Entries, lots or account currency, like the setting; null while it cannot be read.')),
};

/** The session with the terminal. */
export const connectionFields = {
  driver: oneOf(['simulator', 'bridge'], 'simulator'),
  since: text('2026-01-05T08:00:00.000Z', 'Time of the last change of terminal_status, UTC.'),
  attempts: integer(0, 'Attempts of the running or last failed round.'),
  cooldown_remaining_seconds: number(0),
  verified_age_seconds: nullable(number(12, 'Seconds since the last live probe.')),
  login_refusals: integer(
    0,
    'Logins in a row that the broker refused. From the third on, the next follows after an hour.',
  ),
  problem: nullable(
    text(
      'there is no session with the terminal: the broker refused the login (Terminal: Authorization failed, -6): check TERMINAL_LOGIN, TERMINAL_PASSWORD and TERMINAL_SERVER',
      'Why there is no session, or why the terminal takes no orders, and which settings to check. Null if orders can be placed.',
    ),
    null,
  ),
  terminal_build: nullable(integer(5000, 'Build of the terminal that was verified last; null before the first one.')),
};

/** The offset of the server's clock from UTC, and its source. */
export const serverTimeFields = {
  offset_seconds: nullable(integer(7200, 'Broker server time minus UTC.')),
  source: nullable(oneOf(['zone', 'env', 'derived'], 'derived')),
  symbol: nullable(text('EURUSD', 'Symbol of the quote that the offset was derived from.')),
  derived_at: nullable(text('2026-01-05T08:00:03.000Z')),
  age_seconds: nullable(number(41)),
};

/** Whether the kill-switch file can be written. */
export const killSwitchFileFields = {
  state: oneOf(
    ['ok', 'unwritable', 'missing'],
    'ok',
    '`unwritable`: it cannot be created or removed. `missing`: halted in memory, without the file.',
  ),
  error: nullable(text('permission denied', 'Why the state is not ok.'), null),
};

/** Whether the audit log can be written. While it cannot, new risk is rejected. */
export const auditFields = {
  state: oneOf(
    ['ok', 'unavailable'],
    'ok',
    '`unavailable`: lines cannot be written, and new risk is rejected with journal_unavailable.',
  ),
  error: nullable(text('permission denied', 'Why the state is not ok.'), null),
  missing: nullable(
    text(
      'lines 1 to 11 were written and can be read in no file of the log',
      'Lines of the log that were removed. Until a restart, or as long as the journal knows of them.',
    ),
    null,
  ),
};

/** The gateway's durable memory of trade requests. */
export const journalFields = {
  id: nullable(
    text(
      'b5f9c8a2-7d0e-4a51-9c5e-2f6f2a1d8e33',
      'Id of the trade journal; another id means another journal. Null while it cannot be written.',
    ),
  ),
  state: oneOf(
    ['ok', 'unproven', 'unavailable', 'lost'],
    'ok',
    '`unproven`: new, and the account has not been searched yet for traces of an earlier one, or its history may not be loaded; new risk is refused. `unavailable`: it cannot be written, and new risk is refused. `lost`: new risk is refused until an operator accepts it with POST /journal/accept.',
  ),
  reason: nullable(text('permission denied', 'Why the state is not ok.'), null),
  sequence: integer(1024, 'Sequence number of the last commit that is on disk.'),
};

/** A channel of alerts, and what waits for it. */
export const notificationChannelFields = {
  name: text('ops'),
  type: oneOf(['webhook', 'telegram', 'discord', 'email'], 'webhook'),
  state: oneOf(['ok', 'failing'], 'ok', '`failing`: the last attempt to deliver failed.'),
  waiting: integer(0, 'Notifications waiting for delivery.'),
  oldest_at: nullable(text('2026-01-05T10:00:00.250Z', 'When the event of the oldest one happened, UTC.'), null),
  set_aside: integer(0, 'Notifications set aside because the receiver refused them for a day.'),
  failures: integer(0, 'Failed attempts since the last delivery.'),
  last_error: nullable(text('HTTP 503', 'Why the last attempt failed.'), null),
};
