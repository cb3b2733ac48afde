import type { HealthReport, ReadinessReport } from '@libs/gateway-client';

/** What health knows about the checks of readiness. */
export type HealthOfChecks = Pick<
  HealthReport,
  'terminal_status' | 'last_error' | 'missing_settings' | 'kill_switch_file' | 'audit' | 'journal' | 'account_evidence'
>;

/** `trade_mode` of an account in words. */
const modes = ['demo', 'contest', 'real'] as const;

/** The kind of an account. A mode that is not known counts as real, so that caution is never lost. */
export function accountMode(tradeMode: number): 'demo' | 'contest' | 'real' {
  return modes[tradeMode] ?? 'real';
}

export const killReason = 'the kill switch is active';

const named: Readonly<Record<string, string>> = {
  kill_switch: killReason,
  process: 'the gateway is shutting down',
};

/** Why the gateway would not take an order now, one sentence part for each check that is down. Empty when it is ready. */
export function reasonsNotReady(readiness: ReadinessReport, health: HealthOfChecks | null): string[] {
  const reasons = Object.entries(readiness.checks)
    .filter(([, check]) => check.status !== 'up' && check.status !== 'unknown')
    .map(([name, { reason }]) => named[name] ?? withReason(name, reason ?? null) ?? withDetail(name, health));
  return reasons.length === 0 && readiness.status !== 'ready' ? ['the gateway is not ready'] : reasons;
}

/** Whether the kill switch is all that keeps orders from being taken. */
export function isHalted(reasons: readonly string[]): boolean {
  return reasons.length === 1 && reasons[0] === killReason;
}

/** A reason that is a sentence needs no name of its check before it. */
function withReason(check: string, reason: string | null): string | null {
  if (reason === null) return null;
  return /^(the|there) /.test(reason) ? reason : `${check.replaceAll('_', ' ')}: ${reason}`;
}

function withDetail(check: string, health: HealthOfChecks | null): string {
  const name = check.replaceAll('_', ' ');
  const detail = health === null ? null : detailOf(check, health);
  return detail === null ? `${name} is down` : `${name}: ${detail}`;
}

function detailOf(check: string, health: HealthOfChecks): string | null {
  switch (check) {
    case 'terminal':
      return terminalDetail(health);
    case 'account':
      return accountDetail(health);
    case 'kill_switch_file':
      return stateAndReason(health.kill_switch_file.state, health.kill_switch_file.error);
    case 'audit':
      return stateAndReason(health.audit.state, health.audit.error);
    case 'journal':
      return stateAndReason(health.journal.state, health.journal.reason);
    default:
      return null;
  }
}

function terminalDetail({
  terminal_status: status,
  last_error: failure,
  missing_settings: missing,
}: HealthOfChecks): string {
  const settings = missing.length === 0 ? [] : [`not set: ${missing.join(', ')}`];
  const error = failure === null || failure.code === 1 ? [] : [`${failure.message} (${failure.code})`];
  return [status, ...error, ...settings].join('; ');
}

function accountDetail({ account_evidence: evidence }: HealthOfChecks): string | null {
  if (evidence === undefined) return null;
  const [first] = evidence.unexplained;
  return first === undefined ? 'not read yet' : first.message;
}

function stateAndReason(state: string, reason: string | null): string {
  return reason === null ? state : `${state} (${reason})`;
}
