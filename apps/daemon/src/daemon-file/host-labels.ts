import type { FieldReader } from './field-reader';

/** A label of a host, as DAEMON_LABELS and `runsOn` have it. */
export const hostLabel = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const hostLabelShape = '1 to 63 letters, digits, dots, dashes or underscores';

/** The labels that a host must have to run a strategy or portfolio; empty: any host may run it. */
export function readRunsOn(reader: FieldReader): readonly string[] {
  const labels = reader.list('runsOn');
  const isValid = labels.every((label): label is string => typeof label === 'string' && hostLabel.test(label));
  if (!isValid) reader.problem('runsOn', `must list labels of ${hostLabelShape}`);
  return isValid ? labels : [];
}
