import type { Fault, FaultKind } from './fault';
import { type FaultField, faultForms } from './fault-forms';
import type * as FaultRules from './fault-rules';

/**
 * A fault that came from outside.
 * @throws TypeError naming every field that is missing, unknown or of another type
 */
export function parseFault(value: unknown): Fault {
  if (typeof value !== 'object' || value === null || !('kind' in value)) throw new TypeError('a fault needs a kind');
  const { kind: given, ...fields } = value;
  const kind = parseFaultKind(given);
  // Loaded with the first fault: class-validator takes longer to load than all of the simulator.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- createRequire would not be bundled
  const { faultProblems } = require('./fault-rules') as typeof FaultRules;
  const problems = faultProblems(kind, fields);
  if (problems.length > 0) throw new TypeError(`the fault ${kind}: ${problems.join('; ')}`);
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
