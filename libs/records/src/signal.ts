import { flag, integer, nullable, oneOf, text } from './field';

/** The states of an alert and of its requests. */
export const signalStateNames = [
  ...['accepted', 'working', 'done', 'placed', 'nothing_to_do', 'partly_done'],
  ...['rejected', 'refused', 'expired', 'unknown'],
];

const state = oneOf(
  signalStateNames,
  'done',
  '`accepted`: on disk, nothing is sent yet. `working`: its requests are decided. `done`: all of them are carried out. `placed`: the broker accepted them, and a pending order waits or a fill is not seen yet. `nothing_to_do`: the account is already so. `partly_done`: `reason` has what is left. `rejected`: by the broker. `refused`: by the gateway. `expired`: it could not be executed in time. `unknown`: the broker may have acted; it is looked up under its key until it is known, or an operator accepts that it is not.',
);

/** An alert, and what became of it. */
export const signalFields = {
  number: integer(42, 'In the order in which they came.'),
  source: text('trend'),
  id: text(
    '5f0c…',
    'The same for every delivery of the alert. The keys of its requests are `signal-<id>-1` and so on.',
  ),
  received_at: text('2026-01-05T10:00:00.250Z', 'UTC.'),
  alert: text('buy EURUSD lots=0.1 id=7', 'What came, without the secret.'),
  symbol: text('EURUSD', "The account's symbol; empty if the alert was not understood."),
  state,
  reason: nullable(text('broker_rejected: no money', 'Why it is in this state, or what it waits for.'), null),
  gap: nullable(text('EURUSD: the source was short before the alert, and the account was flat'), null),
  ended_at: nullable(text('2026-01-05T10:00:00.290Z', 'UTC; null until then.')),
};

/** A request of an alert. */
export const signalStepFields = {
  key: text('signal-5f0c…-1', 'Its idempotency key, as in GET /trade_requests/{key}.'),
  request: text('BUY 0.1 EURUSD'),
  state: nullable(oneOf(signalStateNames, 'done', 'Null until it was tried.')),
  text: nullable(text('BUY 0.1 EURUSD executed at 1.17279')),
  order: nullable(integer(530218319, 'Ticket of the order.')),
};

/** The answer to a delivery of an alert. */
export const signalTakenFields = {
  message: text('alert 42 of trend is stored and will be executed'),
  id: signalFields.id,
  number: signalFields.number,
  source: signalFields.source,
  repeated: flag(false, 'It is another delivery of an alert that is stored; nothing more is done for it.'),
  state: { ...state, example: 'accepted' },
  reason: signalFields.reason,
};

/** A source of SIGNALS_FILE, and what is wrong with its alerts. */
export const signalSourceFields = {
  name: text('trend'),
  waiting: integer(0, 'Alerts that are on disk and have not ended.'),
  unknown: integer(0, 'Those of them with a request of unknown outcome.'),
  problem: nullable(
    text(
      'EURUSD: alert 42 expired: terminal_unavailable: not connected',
      'Until a later alert of the symbol ends well.',
    ),
    null,
  ),
};
