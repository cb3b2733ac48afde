import type { Fault, FaultKind } from './fault';
import { type FaultField, faultForms, type FieldContent } from './fault-forms';

/**
 * A fault that came from outside.
 * @throws TypeError naming the field that is missing, unknown or of another type
 */
export function parseFault(value: unknown): Fault {
  const kind = kindOf(value);
  const fields = fieldsOf(kind);
  for (const [name, content] of Object.entries(value as object)) {
    if (name === 'kind') continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) throw new TypeError(`the fault ${kind} has no ${name}`);
    const wanted = problemOf(field.content, content);
    if (wanted !== null) throw new TypeError(`the fault ${kind}: ${name} ${wanted}, not ${JSON.stringify(content)}`);
  }
  const missing = Object.keys(fields).find((name) => fields[name]?.isRequired && !Object.hasOwn(value as object, name));
  if (missing !== undefined) throw new TypeError(`the fault ${kind} needs ${missing}`);
  return value as Fault;
}

/** The kind of a fault that came from outside. @throws TypeError for a kind that does not exist */
export function parseFaultKind(value: unknown): FaultKind {
  if (typeof value === 'string' && Object.hasOwn(faultForms, value)) return value as FaultKind;
  throw new TypeError(`a fault is one of ${Object.keys(faultForms).join(', ')}`);
}

/** The fields of one kind by name, required ones first. */
export function fieldsOf(kind: FaultKind): Readonly<Record<string, FaultField>> {
  return faultForms[kind].fields;
}

function kindOf(value: unknown): FaultKind {
  if (typeof value !== 'object' || value === null || !('kind' in value)) throw new TypeError('a fault needs a kind');
  return parseFaultKind(value.kind);
}

/** What a value had to be and is not, or null. */
function problemOf(content: FieldContent, value: unknown): string | null {
  switch (content.type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number';
    case 'count':
      return Number.isInteger(value) && Number(value) > 0 ? null : 'must be a whole number above 0';
    case 'text':
      return typeof value === 'string' ? null : 'must be a text';
    case 'flag':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'list':
      return isTexts(value) ? null : 'must be a list of texts';
    case 'choice':
      return content.of.some((word) => word === value) ? null : `must be one of ${content.of.join(', ')}`;
    case 'choices':
      return isTexts(value) && value.every((word) => content.of.includes(word))
        ? null
        : `must be a list of ${content.of.join(', ')}`;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
