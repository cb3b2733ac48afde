import { Body, Controller, Get, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiError, collection, single, validationError } from '@libs/envelope';
import { LocalEndpoint, WebhookEndpoint } from '../http/endpoint.decorators';
import { QueryReader } from '../http/query-reader';
import { alertFields } from './alert-fields';
import { AlertGate } from './alert-gate';
import { SignalMetrics, type Arrival } from './signals.metrics';
import { signalStates } from './signal-row';
import { signalEntry, SignalsResponse, SignalTakenResponse } from './signals.response';
import { SIGNALS, type Signals } from './signals';

const listed = { usual: 100, most: 1_000 } as const;

const webhook = {
  summary: 'Deliver an alert of a source of SIGNALS_FILE',
  description:
    'Needs no API key: the secret of the source is in the query, in the alert as `secret`, in the path, as /signals/{name}/{secret}, or the bearer token. The alert is JSON, or one line of text such as `buy EURUSD lots=0.1 sl=50 id=7`. ' +
    'A 202 means that it is on disk and will be executed once, however often it is delivered; it does not mean that anything was sent. GET /signals has what became of it.',
  accepted: SignalTakenResponse,
  errors: ['authentication_error', 'forbidden', 'idempotency_conflict', 'too_many_requests', 'journal_unavailable'],
} as const;

/** How an alert is counted that was not taken, by the type of the error. */
const answers: Readonly<Record<string, Arrival>> = { validation_error: 'invalid', idempotency_conflict: 'conflict' };

const alertBody = {
  required: true,
  schema: { oneOf: [{ type: 'object', additionalProperties: true }, { type: 'string' }] },
  examples: {
    strategy: {
      summary: 'A strategy of TradingView',
      value: { action: 'target', symbol: 'EURUSD', position: 0.1, side: 'long', time: '2026-01-05T10:00:00Z' },
    },
  },
} as const;

/** An alert is executed later, on the account that the gateway then has. */
const loginOfSource = {
  field: 'X-Expect-Login',
  problem: 'is not read with an alert: set login of the source in SIGNALS_FILE',
};

/** Alerts of TradingView and of any other program that can call an address. */
@ApiTags('control')
@Controller('signals')
export class SignalsController {
  private readonly gate: AlertGate;

  constructor(
    @Inject(SIGNALS) private readonly signals: Signals | null,
    private readonly metrics: SignalMetrics,
  ) {
    this.gate = new AlertGate(signals, metrics);
  }

  @Get()
  @LocalEndpoint({
    summary: 'The newest alerts, and what became of each',
    description: 'Newest first. Empty without SIGNALS_FILE.',
    response: SignalsResponse,
    changes: false,
    ofAccount: true,
    worksWithoutSession: true,
  })
  @ApiQuery({ name: 'source', required: false, type: 'string', example: 'trend' })
  @ApiQuery({ name: 'state', required: false, schema: { type: 'string', enum: [...signalStates] } })
  @ApiQuery({
    name: 'after',
    required: false,
    schema: { type: 'integer', minimum: 0 },
    description: 'Only later numbers.',
  })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: listed.most, default: listed.usual },
  })
  listSignals(@Query() raw: Record<string, unknown>): SignalsResponse {
    const query = new QueryReader(raw);
    const limit = query.integer('limit', { min: 1, max: listed.most }) ?? listed.usual;
    const after = query.integer('after', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
    const [source, state] = [query.text('source'), query.text('state')];
    query.finish();
    if (state !== undefined && !signalStates.some((one) => one === state)) {
      throw validationError({ field: 'state', problem: `must be one of ${signalStates.join(', ')}` });
    }
    const rows = this.signals?.list({ source, state, after, limit }) ?? [];
    return collection(rows.map(signalEntry));
  }

  @Post(':name')
  @WebhookEndpoint(webhook)
  @ApiParam({ name: 'name', example: 'trend' })
  @ApiQuery({ name: 'secret', required: false, type: 'string' })
  @ApiBody(alertBody)
  deliverSignal(
    @Param('name') name: string,
    @Query('secret') secret: string | undefined,
    @Req() request: FastifyRequest,
    @Body() body: Buffer | undefined,
  ): Promise<SignalTakenResponse> {
    return this.deliver(name, secret, request, body);
  }

  @Post(':name/:secret')
  @WebhookEndpoint(webhook)
  @ApiExcludeEndpoint()
  deliverSignalToSecretPath(
    @Param('name') name: string,
    @Param('secret') secret: string,
    @Req() request: FastifyRequest,
    @Body() body: Buffer | undefined,
  ): Promise<SignalTakenResponse> {
    return this.deliver(name, secret, request, body);
  }

  private async deliver(
    name: string,
    secret: string | undefined,
    request: FastifyRequest,
    body: Buffer | undefined,
  ): Promise<SignalTakenResponse> {
    const alert = alertFields(body ?? Buffer.alloc(0));
    const source = this.gate.admit(name, secret, request, alert);
    const { signals } = this;
    if (signals === null) throw new ApiError('not_found', 'no signals are declared');
    if (request.headers['x-expect-login'] !== undefined) throw validationError(loginOfSource);
    try {
      const { row, isRepeated } = await signals.take(source, alert);
      this.metrics.received(name, isRepeated ? 'repeated' : 'accepted');
      const message = isRepeated
        ? `alert ${row.number} of ${name} is stored already: ${row.state}`
        : `alert ${row.number} of ${name} is stored and will be executed`;
      const { number, identity, state, reason } = row;
      return single({ message, id: identity, number, source: name, repeated: isRepeated, state, reason });
    } catch (error) {
      const type = error instanceof ApiError ? error.errorType : null;
      this.metrics.received(name, answers[type ?? ''] ?? 'not_stored');
      // What was invalid is stored, with its reason.
      if (error instanceof ApiError && type !== 'validation_error') signals.notTaken(source, error.message);
      throw error;
    }
  }
}
