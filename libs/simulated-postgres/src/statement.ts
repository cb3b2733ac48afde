import type { Row, Scope } from './conditions';

/** What a statement is carried out with. */
export interface Call {
  /** Parts of the text that the statement's form names. */
  readonly parts: Readonly<Record<string, string>>;
  readonly values: readonly unknown[];
  /** Time of the server's clock. */
  readonly nowMs: number;
}

export type Rows = readonly object[];

/** A statement that the server knows: its whole text on one line, or a form that names the parts which are evaluated. */
export type Known = readonly [form: string | RegExp, run: (call: Call) => Rows];

/** The parts that a form names in a statement; null if the statement is another one. */
export function partsOf(form: string | RegExp, line: string): Readonly<Record<string, string>> | null {
  if (typeof form === 'string') return form === line ? {} : null;
  const match = form.exec(line);
  return match && (match.groups ?? {});
}

/** The same statement with its text on one line, as it is compared. */
export function known([form, run]: Known): Known {
  return [typeof form === 'string' ? oneLine(form) : form, run];
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A form of the text as it stands, on one line. */
export function literally(text: string): string {
  return oneLine(text).replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

/** The scope of a row in a call. @param held a row of a list of parameters */
export function scopeOf({ values, nowMs }: Call, row: Row, held?: Row): Scope {
  return { row, values, nowMs, ...(held ? { held } : {}) };
}

/** The order of two texts in the collation C. */
export function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
