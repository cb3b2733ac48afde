import type { AuditLines } from '../audit/audit-lines';

/**
 * How old lines of the audit log are, in milliseconds in which gateways ran: a wall clock that is set forward must not
 * make a send old. Lines of an earlier version, which do not have the running time, go by the wall clock.
 * @param lines newest first; a log that was started anew begins at 0 again
 * @param nowMs UTC milliseconds
 * @returns the ages in the order of the lines
 */
export function lineAges(lines: AuditLines, nowMs: number): number[] {
  let ageMs = 0;
  let newerMs: number | null = null;
  return lines.map(({ running_ms: runningMs, timestamp }) => {
    if (typeof runningMs !== 'number') return nowMs - Date.parse(typeof timestamp === 'string' ? timestamp : '');
    ageMs += Math.max(0, (newerMs ?? runningMs) - runningMs);
    newerMs = runningMs;
    return ageMs;
  });
}
