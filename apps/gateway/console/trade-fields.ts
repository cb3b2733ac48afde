import type { ModifySlTpRequest } from '@libs/gateway-client';

/** What a form gives: the request, or the problem with its fields. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export interface FormFields {
  get(name: string): unknown;
  has(name: string): boolean;
}

const decimal = /^\d+(\.\d+)?$/;

/** The levels to change. A field that is left empty keeps its level; only a ticked box removes one. */
export function levelsOf(position: number, fields: FormFields): Parsed<ModifySlTpRequest> {
  const request: { -readonly [Name in keyof ModifySlTpRequest]: ModifySlTpRequest[Name] } = { position };
  for (const name of ['sl', 'tp'] as const) {
    const text = textOf(fields, name);
    const isCleared = fields.has(`clear_${name}`);
    if (text !== '' && isCleared) return problem(`${name}: either enter a level or remove it`);
    if (isCleared) request[`clear_${name}`] = true;
    if (text === '') continue;
    const level = positive(text);
    if (level === null) return problem(`${name} must be a price above 0, such as 1.1725`);
    request[name] = level;
  }
  if (Object.keys(request).length === 1) return problem('enter a level, or tick one to remove it');
  return { ok: true, value: request };
}

/** The volume to close in lots; undefined closes all of it. */
export function volumeOf(fields: FormFields): Parsed<number | undefined> {
  const text = textOf(fields, 'volume');
  if (text === '') return { ok: true, value: undefined };
  const volume = positive(text);
  return volume === null ? problem('volume must be a number of lots above 0') : { ok: true, value: volume };
}

/** What was entered, without blanks around it. */
export function textOf(fields: FormFields, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** A decimal number above 0; null for anything else. */
export function positive(text: string): number | null {
  const value = decimal.test(text) ? Number(text) : 0;
  return value > 0 && Number.isFinite(value) ? value : null;
}

export function problem(text: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: text };
}
