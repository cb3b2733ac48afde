import { Injectable, Logger, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { ApiError, errorBody } from '@libs/envelope';
import { TerminalAccess } from '../terminal/terminal-access';
import { bindAttempt } from '../trade-journal/current-attempt';
import { keyIsVoid } from '../trade-journal/expired-answer';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import type { StoredAnswer } from '../trade-core/core-event';
import type { FirstUse } from '../trade-core/known-key';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TaggedTraces } from '../trade-journal/tagged-traces';
import { TradeMetrics } from '../trade-journal/trade.metrics';
import { TradeRefusals } from '../trade-journal/trade-refusals';
import { unknownOutcome } from '../trade-journal/unknown-outcome.error';
import { expectedLoginOf } from './expected-login';
import { fenceOf, fenceProblem } from './fence-of';
import { identityOf } from './identity-of';
import { idempotencyKeyOf } from './idempotency-key';
import { refusedRequest } from './refused-request';
import { requestFactsOf, type RouteFacts } from './route-facts';
import { keptErrorBody } from '../trade-journal/retry-key';

interface Answer extends StoredAnswer {
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Wraps every trade handler. The answer of a used key is replayed to the byte, and nothing is sent for it again.
 * Otherwise the key is reserved, and the final answer is kept on disk before it is returned, even if nothing had to be
 * sent. If the request is refused before anything was written, the same request is checked again.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger('trade');

  constructor(
    private readonly journal: TradeJournal,
    private readonly metrics: TradeMetrics,
    private readonly refusals: TradeRefusals,
    private readonly terminal: TerminalAccess,
    private readonly traces: TaggedTraces,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<TradeAnswer>): Observable<string> {
    return from(this.handle(context, next));
  }

  private async handle(context: ExecutionContext, next: CallHandler<TradeAnswer>): Promise<string> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const answer = await this.answer(request, requestFactsOf(context.getHandler(), request.body), next);
    void reply.status(answer.status).headers(answer.headers).type('application/json; charset=utf-8');
    return answer.body;
  }

  private async answer(
    request: FastifyRequest,
    facts: RouteFacts | null,
    next: CallHandler<TradeAnswer>,
  ): Promise<Answer> {
    const killGated = facts?.killGated ?? true;
    const identity = { ...identityOf(request), login: this.terminal.login };
    const clientOrderId = await this.keyOf(request);
    const fenced = fenceProblem(request, this.journal.fences);
    if (clientOrderId === null) {
      if (fenced) throw await this.refused(request, null, fenced);
      return this.run(request, this.journal.begin({ ...identity, clientOrderId }, killGated), next);
    }
    const unread = this.journal.remembers(clientOrderId) ? null : await this.traces.takeUp();
    // An exit does not wait for books that cannot be read.
    const forgotten = facts?.addsRisk ? (this.journal.forgottenRefusal(clientOrderId) ?? unread) : null;
    if (forgotten) throw await this.refused(request, clientOrderId, forgotten);
    const reservation = this.journal.reserve({ ...identity, clientOrderId }, killGated, fenced !== null);
    switch (reservation.kind) {
      case 'reserved':
        return this.run(request, reservation.attempt, next);
      case 'replay':
        this.metrics.replayed();
        return { status: reservation.status, body: reservation.body, headers: { 'idempotent-replayed': 'true' } };
      case 'conflict':
        throw await this.refused(request, clientOrderId, conflict(clientOrderId, reservation.first));
      case 'void':
        throw await this.refused(request, clientOrderId, keyIsVoid(clientOrderId));
      case 'fenced':
        throw await this.refused(request, clientOrderId, fenced ?? inProgress());
      case 'in_progress':
        throw await this.refused(request, clientOrderId, inProgress());
    }
  }

  private async run(request: FastifyRequest, attempt: TradeAttempt, next: CallHandler<TradeAnswer>): Promise<Answer> {
    bindAttempt(request, attempt);
    try {
      attempt.expectedLogin = expectedLoginOf(request);
      attempt.fence = fenceOf(request);
      const { status, body } = await firstValueFrom(next.handle());
      return await this.keep(attempt, { status, body: textOf(attempt, body), headers: {} });
    } catch (error) {
      if (attempt.intents.size === 0 || (attempt.didNothing && !isRejection(error))) {
        await this.refuse(request, attempt, error);
        throw error;
      }
      const answer = this.errorAfterIntent(attempt, error);
      const kept = attempt.clientOrderId === null ? errorBody(answer, request.id) : keptErrorBody(answer, request.id);
      const body = textOf(attempt, kept);
      return await this.keep(attempt, { status: answer.status, body, headers: answer.headers });
    }
  }

  private async keep(attempt: TradeAttempt, answer: Answer): Promise<Answer> {
    // Without a key and without a send, a repetition cannot refer to this request.
    if (attempt.intents.size === 0 && attempt.clientOrderId === null) await this.journal.release(attempt);
    else await this.journal.complete(attempt, answer);
    return answer;
  }

  private async refuse(request: FastifyRequest, attempt: TradeAttempt, error: unknown): Promise<void> {
    const onAuditLog = attempt.intents.size > 0;
    await this.journal.release(attempt);
    if (!(error instanceof ApiError)) return;
    if (onAuditLog) this.refusals.count(error);
    else await this.refusals.note(refusedRequest(request, attempt.clientOrderId), error);
  }

  private async keyOf(request: FastifyRequest): Promise<string | null> {
    try {
      return idempotencyKeyOf(request);
    } catch (error) {
      if (error instanceof ApiError) await this.refusals.note(refusedRequest(request, null), error);
      throw error;
    }
  }

  private async refused(request: FastifyRequest, key: string | null, error: ApiError): Promise<ApiError> {
    await this.refusals.note(refusedRequest(request, key), error);
    return error;
  }

  /** Once an intent is written, a bug proves nothing about the broker; the outcome is unknown as well. */
  private errorAfterIntent(attempt: TradeAttempt, error: unknown): ApiError {
    if (error instanceof ApiError && error.errorType === 'unknown_outcome') return error;
    if (attempt.didNothing && isRejection(error)) return error;
    this.logger.error(
      { err: error, request_id: attempt.record.requestId },
      'internal error in a trade request after its intent was written',
    );
    return unknownOutcome('the gateway failed after the send', { clientOrderId: attempt.clientOrderId, cause: error });
  }
}

/** Informs the client that a crash would lose the request, which is in neither the journal nor the audit log. */
function textOf(attempt: TradeAttempt, body: object): string {
  return JSON.stringify(attempt.isRemembered ? body : { ...body, remembered: false });
}

function conflict(key: string, first: FirstUse): ApiError {
  const firstUsedAt = first.createdAtMs === null ? null : new Date(first.createdAtMs).toISOString();
  const uses = [first.route, firstUsedAt && `first used at ${firstUsedAt}`].filter(Boolean).join(', ');
  const message = `the idempotency key ${key} was used by a request with different parameters: ${uses}`;
  return new ApiError('idempotency_conflict', message, {
    details: { key, route: first.route, first_used_at: firstUsedAt },
  });
}

function inProgress(): ApiError {
  return new ApiError('idempotency_in_progress', 'a request with this idempotency key is still in progress', {
    headers: { 'retry-after': '1' },
  });
}

function isRejection(error: unknown): error is ApiError {
  return error instanceof ApiError && error.errorType === 'broker_rejected';
}
