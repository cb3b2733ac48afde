import {
  accountFields,
  barFields,
  checkResultFields,
  dealFields,
  isOfType,
  lastErrorFields,
  orderFields,
  positionFields,
  requiredMembers,
  requiredSymbolFields,
  sendResultFields,
  symbolFields,
  terminalInfoFields,
  tickFields,
  bookFields,
  typeFault,
  type Fields,
  type FieldType,
  type RecordOf,
} from '@libs/records';
import type { ColumnsOf, SymbolInfo, Tick } from '../records';
import { isObject } from './link-protocol';

/** An answer in an invalid form; no part of it is used. */
class MalformedAnswer extends Error {}

/** Reads one record. Unknown fields of later terminals are accepted. @throws MalformedAnswer naming the field */
function record<Declared extends Fields>(fields: Declared): (value: unknown) => RecordOf<Declared> {
  const members = requiredMembers(fields);
  return (value) => {
    if (!isObject(value)) throw new MalformedAnswer('a record was expected');
    for (const [name, type] of members) requireType(name, value[name], type);
    return value as RecordOf<Declared>;
  };
}

function requireType(name: string, value: unknown, type: FieldType): void {
  if (!isOfType(value, type)) throw new MalformedAnswer(`"${name}" ${typeFault(value, type)}`);
}

export function listOf<T>(read: (value: unknown) => T): (value: unknown) => T[] {
  return (value) => {
    if (!Array.isArray(value)) throw new MalformedAnswer('a list was expected');
    return value.map(read);
  };
}

export function nullable<T>(read: (value: unknown) => T): (value: unknown) => T | null {
  return (value) => (value === null ? null : read(value));
}

export function numberAnswer(value: unknown): number {
  if (typeof value !== 'number') throw new MalformedAnswer('a number was expected');
  return value;
}

export function booleanAnswer(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new MalformedAnswer('a boolean was expected');
  return value;
}

/** Reads columns: complete, numeric and equally long. */
function columns<Declared extends Fields>(fields: Declared): (value: unknown) => ColumnsOf<Declared> {
  const required = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) throw new MalformedAnswer('columns were expected');
    let rows = -1;
    for (const [name, { type }] of required) {
      const column = value[name];
      if (!Array.isArray(column)) throw new MalformedAnswer(`column "${name}" is missing`);
      if (rows !== -1 && column.length !== rows) throw new MalformedAnswer('the columns are of different lengths');
      rows = column.length;
      if (!column.every((cell) => typeof cell === 'number')) throw new MalformedAnswer(`column "${name}" has gaps`);
      if (type !== 'integer') continue;
      const inexact: unknown = column.find((cell) => !Number.isSafeInteger(cell));
      if (inexact !== undefined) throw new MalformedAnswer(`"${name}" ${typeFault(inexact, type)}`);
    }
    return value as ColumnsOf<Declared>;
  };
}

export const barColumns = columns(barFields);
export const tickColumns = columns(tickFields);
export const accountInfo = record(accountFields);
export const terminalInfo = record(terminalInfoFields);
export const lastError = record(lastErrorFields);
export const tick = record(tickFields);
export const bookRow = record(bookFields);
export const tradePosition = record(positionFields);
export const tradeOrder = record(orderFields);
export const tradeDeal = record(dealFields);
export const orderCheckResult = record(checkResultFields);
export const orderSendResult = record(sendResultFields);

const checkedSymbol = record(requiredSymbolFields);

const symbolIntegers = requiredMembers(symbolFields).filter(([, type]) => type === 'integer');

export function symbolInfo(value: unknown): SymbolInfo {
  const symbol = checkedSymbol(value) as SymbolInfo & Readonly<Record<string, unknown>>;
  for (const [name, type] of symbolIntegers) {
    if (typeof symbol[name] === 'number') requireType(name, symbol[name], type);
  }
  return symbol;
}

/** For unsolicited quotes, which need no error. */
export function isTick(value: unknown): value is Tick {
  try {
    tick(value);
    return true;
  } catch {
    return false;
  }
}
