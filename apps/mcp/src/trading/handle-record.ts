import { createHash } from 'node:crypto';
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
  /** Set and on disk before the request is sent for the first time. */
  readonly sent: { readonly atMs: number; readonly by: Approval } | null;
  readonly outcome: HandleOutcome | null;
  /** A person said no: it is never sent. */
  readonly declined: boolean;
}

/** Identifies the exact request of a handle, so that an approval is of this request and no other. */
export function digestOf({ handle, plan }: Pick<HandleRecord, 'handle' | 'plan'>): string {
  const { method, path, body } = plan.call;
  return createHash('sha256')
    .update(JSON.stringify([handle, plan.login, method, path, body]))
    .digest('hex');
}

/** What a person reads before approving, without a text of the broker. */
export function requestText({ plan }: Pick<HandleRecord, 'plan'>): string {
  const { call, currency } = plan;
  const account = `account ${plan.login} (${plan.tradeMode === 0 ? 'demo' : plan.tradeMode === 2 ? 'REAL MONEY' : 'contest'})`;
  const risk = plan.atRisk === null ? 'NOT LIMITED, it has no stop loss' : `${plan.atRisk.toFixed(2)} ${currency}`;
  const margin = plan.margin === null ? 'none' : `${plan.margin.toFixed(2)} ${currency}`;
  const body = call.body === undefined ? '' : ` ${JSON.stringify(call.body)}`;
  return [
    `${plan.words}, on ${account}.`,
    `Money at risk: ${risk}. Margin: ${margin}.`,
    `Exact request: ${call.method} ${call.path}${body}`,
  ].join('\n');
}
