import type { StackRecord } from '../trading/stack';
import type { IntentRecord, OwnedTicket, StrategyRecord } from './records';

/** What is wrong with a stored value, naming the member; null when nothing is. */
export type Shape = (value: unknown) => string | null;

const is =
  (what: string, test: (value: unknown) => boolean): Shape =>
  (value) =>
    test(value) ? null : `is ${describe(value)} instead of ${what}`;

const text = is('a text', (value) => typeof value === 'string');
const number = is('a number', (value) => typeof value === 'number' && Number.isFinite(value));
const count = is('a whole number', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const flag = is('true or false', (value) => typeof value === 'boolean');
const decimal = is('an amount', (value) => typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value));
const object = is('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
const oneOf = (...words: readonly string[]): Shape => is(words.join(' or '), (value) => words.includes(String(value)));

const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null ? null : shape(value);
const orAbsent =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? null : shape(value);

const each =
  (shape: Shape): Shape =>
  (value) => {
    if (!Array.isArray(value)) return `is ${describe(value)} instead of a list`;
    const found = value.map((member, index) => [index, shape(member)] as const).find(([, problem]) => problem !== null);
    return found ? `[${found[0]}] ${found[1]}` : null;
  };

const amounts: Shape = (value) => object(value) ?? each(decimal)(Object.values(Object(value) as object));

/** A shape that names every member of a record, so that one added to the record is not forgotten here. */
function record<T>(members: { readonly [Name in keyof Required<T>]: Shape }): Shape {
  return (value) => {
    const problem = object(value);
    if (problem !== null) return problem;
    for (const [name, shape] of Object.entries<Shape>(members)) {
      const wrong = shape((value as Readonly<Record<string, unknown>>)[name]);
      if (wrong !== null) return `${name} ${wrong}`.replace(/ \[/, '[');
    }
    return null;
  };
}

export const strategyShape = record<StrategyRecord>({
  name: text,
  capital: orAbsent(number),
  realized: decimal,
  realizedOn: orAbsent(amounts),
  trades: count,
  lastTrade: orNull(object),
  halt: orNull(
    record<NonNullable<StrategyRecord['halt']>>({ kind: oneOf('daily', 'persistent'), reason: text, atMs: number }),
  ),
  day: orNull(record<NonNullable<StrategyRecord['day']>>({ date: text, equity: decimal })),
  peakEquity: orNull(decimal),
  shares: orAbsent(amounts),
});

export const ticketShape = record<OwnedTicket>({
  strategy: text,
  broker: text,
  ticket: count,
  stream: text,
  symbol: text,
  intentId: orNull(text),
  deals: each(count),
  volumeIn: decimal,
  volumeOut: decimal,
  side: orAbsent(oneOf('buy', 'sell')),
  working: orAbsent(flag),
  expiresMs: orAbsent(number),
  closed: flag,
});

export const intentShape = record<IntentRecord>({
  key: text,
  strategy: text,
  broker: text,
  intentId: text,
  stream: orNull(text),
  symbol: orNull(text),
  ticket: orNull(count),
  call: object,
  isEntry: flag,
  createdAtMs: number,
  dealsBefore: orAbsent(each(count)),
  state: oneOf('open', 'done', 'rejected', 'blocked', 'absent'),
  outcome: orNull(text),
});

export const stackShape = record<StackRecord>({
  id: text,
  strategy: text,
  stream: text,
  broker: text,
  symbol: text,
  side: oneOf('buy', 'sell'),
  volume: number,
  spacing: number,
  slDistance: orNull(number),
  tpDistance: orNull(number),
  anchor: orNull(number),
  expiresMs: number,
  waiting: each(count),
  tickets: each(count),
  over: flag,
});

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  return JSON.stringify(value).slice(0, 60);
}
