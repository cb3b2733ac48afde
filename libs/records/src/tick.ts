import { integer, nullable, number, text, without } from './field';

/** A quote as the API gives it: the terminal's 8 fields, and its time in UTC. */
export const tickRowFields = {
  time: integer(1585070338, 'Broker server time as an epoch, in seconds; not UTC.'),
  bid: number(1.17264),
  ask: number(1.17279),
  last: number(0, 'Last deal price; 0 where the symbol has none.'),
  volume: integer(0),
  time_msc: integer(1585070338728, 'Broker server time as an epoch, in milliseconds; not UTC.'),
  flags: integer(6, 'What changed: 2 bid, 4 ask, 8 last, 16 volume.'),
  volume_real: number(0),
  time_utc: nullable(
    text('2020-03-24T15:18:58.728Z', 'The same instant in UTC; null while the server offset is unknown.'),
  ),
};

/** A symbol's last quote. */
export const quoteRowFields = {
  ...tickRowFields,
  age_seconds: nullable(
    number(0.412, 'Age of the quote, at most, by when the gateway saw it change; null before that.'),
  ),
};

/** A quote as the terminal gives it. */
export const tickFields = without(tickRowFields, 'time_utc');
