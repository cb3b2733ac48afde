import { createHash } from 'node:crypto';
import { currencyDigits, moneyText, type TradeRequestReport } from '@libs/gateway-client';
import { printable } from '../text/broker-text';
import { isSameBoot, sinceMs, type Mark, type Moment } from './moment';
import type { TradePlan } from './trade-plan';

/** Who decided that a request is sent. */
export type Approval = 'policy' | 'elicitation' | 'terminal';

/** How a handle ended. Only `unknown` is uncertain. */
export interface HandleOutcome {
  readonly status: 'done' | 'rejected' | 'blocked' | 'unknown';
  /** The gateway's answer or refusal. */
  readonly answer: unknown;
}

/** A handle as it is on disk. */
export interface HandleRecord {
  readonly handle: string;
  readonly plan: TradePlan;
  /** Milliseconds since the epoch, as the other times. */
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly createdAt: Mark;
  /** Set and on disk before the request is sent for the first time. */
  readonly sent: { readonly atMs: number; readonly at: Mark; readonly by: Approval } | null;
  readonly outcome: HandleOutcome | null;
  /** A person said no: it is never sent. */
  readonly declined: boolean;
}

/** Clocks that are set back by less are a correction. */
const smallStepMs = 60_000;

/** Whether a handle may no longer be sent for the first time: its time is over by either clock. */
export function isExpired({ createdMs, expiresMs, createdAt }: HandleRecord, now: Moment): boolean {
  if (now.nowMs >= expiresMs) return true;
  if (isSameBoot(createdAt, now)) return sinceMs(createdAt, now) >= expiresMs - createdMs;
  // The other clock says nothing, and this one was set back if the handle is from its future.
  return now.nowMs < createdMs - smallStepMs;
}

/** What the journal proves of a request. */
export function statusOf(report: TradeRequestReport | null): 'done' | 'rejected' | 'unknown' {
  switch (report?.status) {
    case 'completed':
    case 'recovered': {
      const { response_status: status } = report;
      if (status === null || status >= 500 || status === 409) return 'unknown';
      return status < 300 ? 'done' : 'rejected';
    }
    case 'absent':
    case 'void':
      return 'rejected';
    case 'in_progress':
    case 'unknown':
    case 'accepted':
    case undefined:
      return 'unknown';
  }
}

/** Identifies the exact request of a handle, so that an approval is of this request and no other. */
export function digestOf({ handle, plan }: Pick<HandleRecord, 'handle' | 'plan'>): string {
  const { method, path, body } = plan.call;
  return createHash('sha256')
    .update(JSON.stringify([handle, plan.login, method, path, body]))
    .digest('hex');
}

/** What a person types to approve it. */
export function wordsOf({ plan }: Pick<HandleRecord, 'plan'>): string {
  return printable(plan.words);
}

/** What a person reads before approving. What a broker wrote in it cannot command a terminal, or look like another line. */
export function requestText(record: Pick<HandleRecord, 'plan'>): string {
  const { plan } = record;
  const { call, currency } = plan;
  const account = `account ${plan.login} (${plan.tradeMode === 0 ? 'demo' : plan.tradeMode === 2 ? 'REAL MONEY' : 'contest'})`;
  const money = (amount: number): string => `${moneyText(amount, currencyDigits(currency))} ${currency}`;
  const risk = plan.atRisk === null ? 'NOT LIMITED, it has no stop loss' : money(plan.atRisk);
  const margin = plan.margin === null ? 'none' : money(plan.margin);
  const body = call.body === undefined ? '' : ` ${JSON.stringify(call.body)}`;
  return [
    `${plan.words}, on ${account}.`,
    `Money at risk: ${risk}. Margin: ${margin}.`,
    `Exact request: ${call.method} ${call.path}${body}`,
  ]
    .map(printable)
    .join('\n');
}

/** The exact text that an approval signs: the request as the person reads it, its handle and its end. */
export function approvalText(record: HandleRecord): string {
  const { handle, expiresMs } = record;
  const until = new Date(expiresMs).toISOString();
  return `trading-mcp approval 1\nHandle: ${handle}\nValid until: ${until}\n${requestText(record)}\n`;
}
