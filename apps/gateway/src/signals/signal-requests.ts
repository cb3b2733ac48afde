import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { TradeJournal } from '../trade-journal/trade-journal';
import type { Step } from './decide-signal';
import type { StepResult } from './signal-row';
import type { SignalSource } from './signal-source';

/** What an attempt of a request led to. `later`: nothing was sent, and it may be tried again under its key. */
export type Attempted = StepResult | { readonly state: 'later'; readonly text: string };

/** Refusals below 500 that pass by themselves; nothing was sent. */
const passing: readonly unknown[] = [
  ...['idempotency_in_progress', 'request_timeout', 'too_many_requests', 'quote_too_old', 'server_time_unavailable'],
];

/**
 * The requests of alerts. Each passes the same guards, checks and services as a request of a client, under a key that follows
 * from its alert: a second attempt gets the answer of the first one.
 */
@Injectable()
export class SignalRequests {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly journal: TradeJournal,
    @Inject(GATEWAY_SETTINGS) private readonly settings: Pick<GatewaySettings, 'API_KEY'>,
  ) {}

  /** Whether the journal has a record of the key; then an attempt sends nothing, and answers what became of it. */
  isKnown(key: string): boolean {
    return this.journal.remembers(key);
  }

  /** Whether an operator accepted that the outcome stays unknown. */
  isAccepted(key: string): boolean {
    const known = this.journal.lookUp(key);
    return (known?.kind === 'remembered' ? known.entry : known?.record)?.status === 'accepted';
  }

  async attempt({ method, path, body }: Step, key: string, source: SignalSource | undefined): Promise<Attempted> {
    const wasKnown = this.journal.remembers(key);
    const {
      statusCode,
      headers,
      body: text,
    } = await this.host.httpAdapter.getInstance<FastifyInstance>().inject({
      method,
      url: path,
      payload: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${this.settings.API_KEY ?? ''}`,
        'content-type': 'application/json',
        'idempotency-key': key,
        ...(source?.login == null ? {} : { 'x-expect-login': String(source.login) }),
        ...(source?.fence == null ? {} : { 'x-fence': source.fence }),
      },
    });
    const answer: unknown = JSON.parse(text);
    // A guard refused to look the key up, which states nothing about the request that was sent under it.
    const isOfKey = headers['idempotent-replayed'] === 'true' || memberOf(answer, 'error_type') === 'key_void';
    if (wasKnown && !isOfKey && statusCode >= 400 && statusCode < 500) {
      return { state: 'unknown', text: refusalText(answer), order: null };
    }
    return resultOf(statusCode, answer, body);
  }
}

function refusalText(answer: unknown): string {
  return `${String(memberOf(answer, 'error_type'))}: ${textIn(answer, 'error')}`;
}

/** Reads the answer of a trade route. */
export function resultOf(status: number, answer: unknown, asked: Step['body']): Attempted {
  const order = numberIn(memberOf(answer, 'result'), 'order');
  if (status === 200) return { state: doneState(answer, asked), text: textIn(answer, 'message'), order };
  const type = memberOf(answer, 'error_type');
  const text = refusalText(answer);
  if (type === 'unknown_outcome') return { state: 'unknown', text, order };
  if (status >= 500 || passing.includes(type)) return { state: 'later', text };
  // What should end has ended.
  if (type === 'not_found' && !('symbol' in asked || 'position' in asked))
    return { state: 'done', text: textIn(answer, 'error'), order };
  return { state: type === 'broker_rejected' ? 'rejected' : 'refused', text, order };
}

/** Anything but a full execution is not called one. */
function doneState(answer: unknown, asked: Step['body']): StepResult['state'] {
  switch (memberOf(answer, 'state')) {
    case 'placed':
      return 'placed';
    case 'partially_executed':
      return 'partly_done';
    case 'partially_closed':
      return 'volume' in asked && memberOf(answer, 'closed_volume') === asked['volume'] ? 'done' : 'partly_done';
    default:
      return 'done';
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return found;
}

function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : '';
}

function numberIn(value: unknown, name: string): number | null {
  const member = memberOf(value, name);
  return typeof member === 'number' && member > 0 ? member : null;
}
