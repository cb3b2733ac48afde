import { Controller, Get, Param, Put, Query, Req } from '@nestjs/common';
import { ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Clock } from '@libs/clock';
import { ApiError, collection, single, systemErrorText } from '@libs/envelope';
import type { AuditLines } from '../audit/audit-lines';
import { AuditLog } from '../audit/audit-log';
import { bodyErrors, LocalEndpoint, ReadEndpoint } from '../http/endpoint.decorators';
import { expectedLoginOf, recordedOnOther } from '../http/expected-login';
import { requireKey } from '../http/idempotency-key';
import { callerOf } from '../http/key-access';
import { QueryReader } from '../http/query-reader';
import { ReadBudget } from '../http/read-budget';
import { NoFields } from '../http/valid-body.decorator';
import { TerminalAccess } from '../terminal/terminal-access';
import { requestIdOf } from '../trade-core/journal-records';
import { TaggedTraces } from '../trade-journal/tagged-traces';
import { TradeJournal } from '../trade-journal/trade-journal';
import { AcceptOutcomeService } from './accept-outcome.service';
import { recentRequests } from './recent-requests';
import { ReconcileResponse } from './reconcile.response';
import { ReconcileService } from './reconcile.service';
import { tradeRequestReport } from './trade-request-report';
import {
  AuditVerificationResponse,
  KeyedAuditResponse,
  RecentRequestsResponse,
  TradeRequestResponse,
} from './trade-request.response';

const mostHours = 744;
const listed = { usual: 100, most: 1_000 } as const;

@Controller()
export class ReconciliationController {
  constructor(
    private readonly reconciliation: ReconcileService,
    private readonly journal: TradeJournal,
    private readonly terminal: TerminalAccess,
    private readonly accepting: AcceptOutcomeService,
    private readonly traces: TaggedTraces,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly budget: ReadBudget,
  ) {}

  @Get('reconcile')
  @ApiTags('control')
  @ReadEndpoint({
    summary: "The broker's positions, orders and recent deals, unresolved requests, and differences from the journal",
    response: ReconcileResponse,
    errors: ['validation_error', 'too_many_requests'],
  })
  @ApiQuery({ name: 'magic', required: false, type: 'integer', description: 'Only rows of this magic.' })
  @ApiQuery({
    name: 'lookback_hours',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: mostHours, default: 24 },
  })
  reconcileAccount(@Query() raw: Record<string, unknown>, @Req() request: FastifyRequest): Promise<ReconcileResponse> {
    const query = new QueryReader(raw);
    const magic = query.integer('magic', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? null;
    const lookbackHours = query.integer('lookback_hours', { min: 1, max: mostHours }) ?? 24;
    query.finish();
    return this.budget.run(request, () => this.reconciliation.reconcile(magic, lookbackHours));
  }

  @Get('trade_requests')
  @ApiTags('order')
  @LocalEndpoint({
    changes: false,
    summary: 'The newest trade requests, and what came of each',
    description:
      'Newest first: one row for each key, and for each request without one. Refused requests are listed too. The rows are ' +
      'those of the audit log; the outcome is that of the journal. With X-Expect-Login, those of that account.',
    response: RecentRequestsResponse,
    errors: ['journal_unavailable', 'too_many_requests'],
    ofAccount: true,
    worksWithoutSession: true,
  })
  @ApiQuery({ name: 'key', required: false, type: 'string', description: 'Only keys that contain this text.' })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: listed.most, default: listed.usual },
  })
  async listTradeRequests(
    @Query() raw: Record<string, unknown>,
    @Req() request: FastifyRequest,
  ): Promise<RecentRequestsResponse> {
    const query = new QueryReader(raw);
    const keyPart = query.text('key') ?? null;
    const limit = query.integer('limit', { min: 1, max: listed.most }) ?? listed.usual;
    query.finish();
    const login = expectedLoginOf(request);
    return this.budget.run(request, async () => {
      const { lines, complete } = await this.auditLog.recentLines(keyPart ?? '').catch((cause: unknown) => {
        throw unreadableAudit(cause);
      });
      const known = (name: string) => this.journal.lookUp(this.journal.keyNamed(name));
      const { rows, hasMore } = recentRequests(lines, { keyPart, login, limit }, known);
      return { ...collection(rows), complete: complete && !hasMore };
    });
  }

  @Get('trade_requests/:key')
  @ApiTags('order')
  @LocalEndpoint({
    changes: false,
    summary: 'The record of an idempotency key in the journal',
    description:
      'A 404 means that no request under this key has been sent. A request in transit may still be sent; ' +
      'PUT /trade_requests/{key}/void prevents that.',
    response: TradeRequestResponse,
    errors: ['validation_error', 'not_found', 'journal_lost'],
    ofAccount: true,
  })
  @ApiParam({ name: 'key', example: 'my-bot-2026-01-05-0001' })
  async getTradeRequest(@Param('key') key: string, @Req() { id }: FastifyRequest): Promise<TradeRequestResponse> {
    await this.requireTakenUp(key);
    const known = this.journal.lookUp(key);
    // A journal that replaces a lost one cannot prove that a key was never used.
    if (!known) this.journal.trust.refuseLost();
    // A key that the gateway generated for a request without one is not a client's key.
    if (!known || (known.kind === 'request' && known.record.clientOrderId === null)) {
      throw new ApiError('not_found', 'no trade request with this key is known');
    }
    return tradeRequestReport(key, known, id);
  }

  @Get('trade_requests/:key/audit')
  @ApiTags('order')
  @LocalEndpoint({
    changes: false,
    summary: 'The lines of an idempotency key in the audit log',
    description:
      'Intents, answers of the broker, refusals and recovered outcomes. No lines prove nothing unless `complete`.',
    response: KeyedAuditResponse,
    errors: ['validation_error', 'journal_unavailable', 'too_many_requests'],
    ofAccount: true,
  })
  @ApiParam({ name: 'key', example: 'my-bot-2026-01-05-0001' })
  async getTradeRequestAudit(@Param('key') raw: string, @Req() request: FastifyRequest): Promise<KeyedAuditResponse> {
    const key = requireKey(raw);
    const found = await this.budget
      .run(request, () => this.auditLog.linesOf(key))
      .catch((cause: unknown) => {
        throw cause instanceof ApiError ? cause : unreadableAudit(cause);
      });
    refuseLinesOfOther(expectedLoginOf(request), found.lines);
    return single({ key, ...found });
  }

  @Get('audit/verification')
  @ApiTags('control')
  @LocalEndpoint({
    changes: false,
    summary: 'Check the whole audit log: missing and reordered lines, and intents without an outcome',
    description: 'Reads the current file. `npm run audit:verify FILE` checks a rotated one.',
    response: AuditVerificationResponse,
    errors: ['journal_unavailable', 'too_many_requests'],
  })
  async verifyAudit(@Req() request: FastifyRequest): Promise<AuditVerificationResponse> {
    const verified_at = new Date(this.clock.nowMs()).toISOString();
    return this.budget.run(request, async () => {
      try {
        const findings = await this.auditLog.verify(() => runningIntents(this.journal));
        return single({ verified_at, consistent: findings.problem_count === 0, ...findings });
      } catch (cause) {
        throw unreadableAudit(cause);
      }
    });
  }

  @Put('trade_requests/:key/void')
  @ApiTags('order')
  @LocalEndpoint({
    changes: true,
    summary: 'Make an idempotency key void, unless a request under it was sent',
    description:
      'A `status` of `void` proves that no request under this key was or will be sent, even one in transit: it is ' +
      'rejected with `key_void`. Any other status is that of the request, which is unchanged. The call needs no ' +
      'terminal, and works while the kill switch is active.',
    response: TradeRequestResponse,
    errors: ['validation_error', 'not_found', 'journal_unavailable', 'journal_lost', ...bodyErrors],
    ofAccount: true,
  })
  @ApiParam({ name: 'key', example: 'my-bot-2026-01-05-0001' })
  async voidTradeRequest(
    @Param('key') raw: string,
    @Req() request: FastifyRequest,
    @NoFields() _body: unknown,
  ): Promise<TradeRequestResponse> {
    const [key, caller] = [requireKey(raw), callerOf(request)];
    await this.requireTakenUp(key);
    const facts = { ...caller, client_order_id: key, route: 'PUT /trade_requests/:key/void' };
    const known = await this.journal.makeVoid(key, this.terminal.login, { event: 'voided', ...facts });
    return tradeRequestReport(key, known, caller.request_id);
  }

  /** @throws ApiError if the broker's books, which may show a key of a lost journal, cannot be read */
  private async requireTakenUp(key: string): Promise<void> {
    const unread = this.journal.remembers(key) || this.journal.trust.isLost ? null : await this.traces.takeUp();
    if (unread !== null) throw unread;
  }

  @Put('trade_requests/:key/accept')
  @ApiTags('order')
  @LocalEndpoint({
    changes: true,
    summary: 'Accept that the outcome of an undecidable request stays unknown',
    description:
      'Only a request with an `undecidable` send changes: its status becomes `accepted`, and it leaves `unresolved` ' +
      'of GET /reconcile. A repetition is still answered with 502 `unknown_outcome`, and nothing is sent under its key. ' +
      'Any other request is unchanged. A request without a key is named by its `id` in GET /reconcile.',
    response: TradeRequestResponse,
    errors: ['validation_error', 'not_found', 'journal_unavailable', ...bodyErrors],
    ofAccount: true,
  })
  @ApiParam({ name: 'key', example: 'my-bot-2026-01-05-0001' })
  acceptTradeRequest(
    @Param('key') key: string,
    @Req() request: FastifyRequest,
    @NoFields() _body: unknown,
  ): Promise<TradeRequestResponse> {
    return this.accepting.accept(key, callerOf(request));
  }
}

/** The intents of the requests that are running now. */
function runningIntents(journal: TradeJournal): (intentId: string) => boolean {
  const requests = new Set(journal.running().map(({ record }) => record.id));
  return (intentId) => requests.has(requestIdOf(intentId));
}

/** The log may have lines under a key that the journal does not know, of an account that was logged in before. */
function refuseLinesOfOther(expected: number | null, lines: AuditLines): void {
  const other = lines.map(({ login }) => login).find((login) => typeof login === 'number' && login !== expected);
  if (expected !== null && typeof other === 'number') throw recordedOnOther('a line of its key', expected, other);
}

function unreadableAudit(cause: unknown): ApiError {
  return new ApiError('journal_unavailable', `the audit log cannot be read: ${systemErrorText(cause)}`, { cause });
}
