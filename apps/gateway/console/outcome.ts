import type { SetAsideAnswer, TradeOutcome, TradeRequestReport } from '@libs/gateway-client';

/**
 * What became of a write. `rejected` is the broker's word, `refused` the gateway's: nothing was done in both. Only `unknown`
 * is uncertain.
 */
export type WriteState = 'in flight' | 'done' | 'rejected' | 'refused' | 'unknown';

export interface Verdict {
  readonly state: WriteState;
  /** What the gateway answered, in its words. */
  readonly text: string;
  /** What the operator should do; null if there is nothing to do. */
  readonly advice: string | null;
}

const mayBeDone =
  'The broker may have acted. Do not send another request for the same purpose: wait until the gateway has looked it up, ' +
  'or repeat this one under the same key.';

/** @param done words for a success */
export function verdictOf<Body>(outcome: TradeOutcome<Body>, done: (body: Body) => string): Verdict {
  switch (outcome.kind) {
    case 'done':
      return { state: 'done', text: done(outcome.body), advice: null };
    case 'blocked':
      return { state: 'refused', text: outcome.error, advice: 'Nothing was done. Release the kill switch first.' };
    case 'rejected': {
      const state = outcome.errorType === 'broker_rejected' ? 'rejected' : 'refused';
      return { state, text: withRetcode(outcome), advice: 'Nothing was done.' };
    }
    case 'unknown':
      return { state: 'unknown', text: outcome.reason, advice: mayBeDone };
  }
}

function withRetcode({ error, terminalError }: Extract<TradeOutcome<never>, { kind: 'rejected' }>): string {
  const retcode = terminalError?.retcode ?? null;
  return retcode === null ? error : `${error} (${retcode} ${terminalError?.retcode_name ?? ''})`.replace(' )', ')');
}

/** The same for a halt or a release, which have no key: sending them again does no harm. */
export function controlVerdictOf(
  outcome: TradeOutcome<{ readonly message?: string; readonly audited?: boolean }>,
): Verdict {
  const verdict = verdictOf(outcome, ({ message, audited }) =>
    [message ?? 'done', ...(audited === false ? ['the audit log does not record it'] : [])].join('; '),
  );
  if (verdict.state !== 'unknown') return verdict;
  return {
    ...verdict,
    advice: 'It may have taken effect. See the kill switch at the top; sending it again does no harm.',
  };
}

/** The same for a notification that was set aside, by its id. Sending it again does no harm either. */
export function setAsideVerdictOf(id: string, outcome: TradeOutcome<SetAsideAnswer>): Verdict {
  if (outcome.kind === 'done' && outcome.body.not_set_aside?.includes(id) === true) {
    return { state: 'refused', text: 'it is not set aside any more', advice: 'Nothing was done.' };
  }
  const verdict = verdictOf(outcome, ({ message }) => message ?? 'done');
  if (verdict.state !== 'unknown') return verdict;
  return { ...verdict, advice: 'It may have taken effect. See the list; sending it again does no harm.' };
}

/** What the journal says about a write whose outcome was unknown; null while it says nothing new. */
export function settledVerdictOf(report: TradeRequestReport | null): Verdict | null {
  switch (report?.status) {
    case 'completed':
      return report.response_status !== null && report.response_status < 300
        ? { state: 'done', text: 'the journal has it as done', advice: null }
        : { state: 'rejected', text: 'the journal has it as rejected', advice: 'Nothing was done.' };
    case 'recovered':
      return { state: 'done', text: 'the look-up found it at the broker', advice: null };
    case 'absent':
      return { state: 'rejected', text: 'the look-up found no trace of it', advice: 'Nothing was done.' };
    case 'void':
      return { state: 'refused', text: 'the key is void', advice: 'It was never sent, and never will be.' };
    case 'in_progress':
    case 'unknown':
    case 'accepted':
    case undefined:
      return null;
  }
}
