import type { Fault, FaultKind } from './fault';

type Check = (value: unknown) => boolean;

const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isFlag: Check = (value) => typeof value === 'boolean';
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    isText(value) && words.includes(String(value));

interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

const shape = (required: Shape['required'] = {}, optional: Shape['optional'] = {}): Shape => ({ required, optional });
const times = { times: isCount };

/** The fields of every fault; total over its kinds by the compiler. */
const shapes: Readonly<Record<FaultKind, Shape>> = {
  latency: shape({ ms: isNumber }, { calls: oneOf('reads', 'sends', 'all') }),
  'drop-before-send': shape({}, times),
  'drop-after-send': shape({}, times),
  'lose-answer': shape({}, { ...times, lateMs: isNumber }),
  retcode: shape({ retcode: isNumber }, { ...times, comment: isText, action: isNumber, acts: isFlag }),
  slippage: shape({ points: isCount }, times),
  'zero-ack': shape({}, times),
  lag: shape({ ms: isNumber }, { lists: isTexts }),
  'frozen-quotes': shape({}, { symbols: isTexts }),
  'clock-offset': shape({ seconds: isNumber }),
  'failed-reads': shape({}, { ...times, methods: isTexts, code: isNumber }),
  disconnected: shape(),
  'logged-out': shape(),
  'login-refused': shape(),
  'other-account': shape({ login: isNumber }),
  'trading-off': shape({ by: oneOf('terminal', 'server', 'account', 'api') }),
};

/**
 * A fault that came from outside.
 * @throws TypeError naming the field that is missing, unknown or of another type
 */
export function parseFault(value: unknown): Fault {
  const kind = kindOf(value);
  const { required, optional } = shapes[kind];
  for (const [field, content] of Object.entries(value as object)) {
    if (field === 'kind') continue;
    const check = required[field] ?? optional[field];
    if (!check) throw new TypeError(`the fault ${kind} has no ${field}`);
    if (!check(content)) throw new TypeError(`the fault ${kind} has a ${field} that cannot be used`);
  }
  const missing = Object.keys(required).find((field) => !Object.hasOwn(value as object, field));
  if (missing !== undefined) throw new TypeError(`the fault ${kind} needs ${missing}`);
  return value as Fault;
}

/** The kind of a fault that came from outside. @throws TypeError for a kind there is not */
export function parseFaultKind(value: unknown): FaultKind {
  if (typeof value === 'string' && Object.hasOwn(shapes, value)) return value as FaultKind;
  throw new TypeError(`a fault is one of ${Object.keys(shapes).join(', ')}`);
}

function kindOf(value: unknown): FaultKind {
  if (typeof value !== 'object' || value === null || !('kind' in value)) throw new TypeError('a fault has a kind');
  return parseFaultKind(value.kind);
}
