import { applyDecorators, HttpCode, UseInterceptors, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { statusOfErrorType, type ErrorType } from '@libs/envelope';
import { ExpiredTradeResponse } from '../trade-journal/expired-answer.response';
import { clockWords, instantForms } from '../server-time/utc-instant';
import { errorExample, ErrorResponse } from './error.response';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { packedRowsType } from './packed-rows';
import { declareRoute } from './route-facts';

interface Description {
  readonly summary: string;
  readonly description?: string;
  /** The body of the 200 answer. */
  readonly response?: Type<unknown>;
  /** Error types in addition to those of every such route. */
  readonly errors?: readonly ErrorType[];
  /** What `Accept: application/octet-stream` answers: the rows, packed. */
  readonly packedRows?: string;
  /** Bodies of errors with fields in addition to the envelope's own, by status. */
  readonly errorBodies?: Readonly<Record<number, Type<ErrorResponse>>>;
}

interface TradeDescription extends Description {
  readonly response: Type<unknown>;
  readonly killGated: boolean;
  /** Places or changes something; not a close or a cancellation. */
  readonly addsRisk: boolean;
  readonly byAction?: true;
}

interface WebhookDescription extends Omit<Description, 'response'> {
  /** The body of the 202 answer. */
  readonly accepted: Type<unknown>;
}

interface LocalDescription extends Description {
  /** Whether the route changes something; the read-only key is then denied. */
  readonly changes: boolean;
  readonly ofAccount?: boolean;
  readonly worksWithoutSession?: true;
  readonly readsOwnQuery?: boolean;
}

/** Trade-related facts of a route that sends nothing. */
const noTrade = { killGated: false, addsRisk: false, idempotent: false } as const;

/** Any route refuses query parameters that it does not have. */
const always: readonly ErrorType[] = ['validation_error', 'internal_error'];
const withBearer: readonly ErrorType[] = ['authentication_error', ...always];
const withChange: readonly ErrorType[] = ['read_only_key', ...withBearer];
const withTerminal: readonly ErrorType[] = ['terminal_unavailable', 'reconnect_cooldown', 'account_not_synchronized'];
const withAccount: readonly ErrorType[] = ['validation_error', 'account_mismatch', ...withTerminal];
/** Errors of a route that reads a body, even if it ignores the content. */
export const bodyErrors = ['payload_too_large', 'unsupported_media_type'] as const satisfies readonly ErrorType[];
/** Errors before routing: incomplete, too many or too large requests, and requests that are not HTTP/1.1. */
const beforeTheRoute: readonly ErrorType[] = [
  'validation_error',
  'method_not_allowed',
  'request_timeout',
  'too_many_requests',
  'headers_too_large',
];

const fenceHeader = ApiHeader({
  name: 'X-Fence',
  required: false,
  description:
    'Strategy name and fencing token of the sender, such as `trend;7`. A token below that of PUT /fences/{strategy} is 412 ' +
    '`fenced_out`, and nothing is done.',
  schema: { type: 'string' },
});

const expectedLoginHeader = ApiHeader({
  name: 'X-Expect-Login',
  required: false,
  description:
    'Account number that the request is intended for. If a different account is logged in, the response is 412 and nothing is done.',
  schema: { type: 'integer', minimum: 1, example: 100001 },
});

/** A public route. */
export function PublicEndpoint(description: Description): MethodDecorator {
  return applyDecorators(
    declareRoute({ access: 'public', changes: false, terminal: false, ofAccount: false, ...noTrade }),
    ...documented(description, always),
  );
}

/** A route that checks a secret of its own instead of the key. Its answer states what is stored, not what is done. */
export function WebhookEndpoint({ accepted, ...description }: WebhookDescription): MethodDecorator {
  return applyDecorators(
    declareRoute({ access: 'secret', changes: true, terminal: false, ofAccount: false, ...noTrade }),
    HttpCode(202),
    ApiResponse({ status: 202, type: accepted, description: 'Stored.' }),
    ...documented(description, [...always, ...bodyErrors]),
  );
}

/** A route that needs the key but no terminal: health, control, journal. */
export function LocalEndpoint(description: LocalDescription): MethodDecorator {
  const { changes, ofAccount = false, readsOwnQuery, worksWithoutSession } = description;
  const own = {
    ...(readsOwnQuery === undefined ? {} : { readsOwnQuery }),
    ...(worksWithoutSession === undefined ? {} : { worksWithoutSession }),
  };
  return applyDecorators(
    declareRoute({ access: 'bearer', changes, terminal: false, ofAccount, ...noTrade, ...own }),
    HttpCode(200),
    ...(ofAccount ? [expectedLoginHeader] : []),
    ...documented(description, [...(changes ? withChange : withBearer), ...(ofAccount ? withAccount : [])]),
  );
}

/** A route that reads from the terminal. */
export function ReadEndpoint(description: Description): MethodDecorator {
  return applyDecorators(
    declareRoute({ access: 'bearer', changes: false, terminal: true, ofAccount: true, ...noTrade }),
    HttpCode(200),
    expectedLoginHeader,
    ...documented(description, [...withBearer, ...withAccount]),
  );
}

/** A route that sends to the broker: idempotent by key, and refused while the kill switch is active if it adds risk. */
export function TradeEndpoint(description: TradeDescription): MethodDecorator {
  return applyDecorators(
    declareRoute({
      access: 'bearer',
      changes: true,
      terminal: true,
      ofAccount: true,
      idempotent: true,
      killGated: description.killGated,
      addsRisk: description.addsRisk,
      ...(description.byAction === undefined ? {} : { byAction: description.byAction }),
    }),
    HttpCode(200),
    expectedLoginHeader,
    fenceHeader,
    UseInterceptors(IdempotencyInterceptor),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Unique key of this request, 1 to 128 printable ASCII characters, not `.` or `..`. A request repeated with the same key is never sent twice.',
      schema: { type: 'string', minLength: 1, maxLength: 128, example: 'my-bot-2026-01-05-0001' },
    }),
    ...documented(description, [
      'validation_error',
      ...withChange,
      'idempotency_conflict',
      'idempotency_in_progress',
      'key_void',
      ...bodyErrors,
      'broker_rejected',
      'fenced_out',
      'fence_required',
      ...(description.killGated ? (['kill_switch_active'] as const) : []),
      'unknown_outcome',
      ...withAccount,
      'journal_unavailable',
      ...(description.addsRisk ? (['journal_lost'] as const) : []),
    ]),
    // The document has one schema for both: document-schemas.ts.
    ApiExtraModels(ExpiredTradeResponse),
  );
}

interface InstantParameter {
  readonly name: string;
  readonly required?: boolean;
  readonly example: string;
  readonly note?: string;
}

/** A query parameter that is an instant. */
export function InstantQuery({ name, required = true, example, note }: InstantParameter): MethodDecorator {
  return ApiQuery({
    name,
    required,
    schema: { type: 'string', format: 'date-time' },
    example,
    description: `${capital(instantForms)}.${note === undefined ? '' : ` ${note}`}`,
  });
}

/** The query parameter that names the clock of the others. */
export function ClockQuery(): MethodDecorator {
  return ApiQuery({
    name: 'clock',
    required: false,
    schema: { type: 'string', enum: [...clockWords], default: 'utc' },
    description: "The clock of the times in the query: UTC, or with `server` the broker server's own, as in its rows.",
  });
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The two names of a query parameter that is a position's ticket; `required` by one of them. */
export function PositionQuery(): MethodDecorator {
  const schema = { type: 'integer', minimum: 1 } as const;
  return applyDecorators(
    ApiQuery({ name: 'position', required: false, schema, description: "A position's ticket." }),
    ApiQuery({ name: 'ticket', required: false, schema, description: 'Another name of `position`.' }),
  );
}

function documented(
  { summary, description, response, errors = [], packedRows, errorBodies = {} }: Description,
  common: readonly ErrorType[],
): MethodDecorator[] {
  return [
    ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
    ...(response
      ? [packedRows === undefined ? ApiOkResponse({ type: response }) : okOrPacked(response, packedRows)]
      : []),
    ApiProduces('application/json'),
    ...errorResponses([...new Set([...errors, ...common])], errorBodies),
    ApiResponse({
      status: 'default',
      description: `Any other error. Errors that can occur on any path, before routing: ${beforeTheRoute.join(', ')}.`,
      type: ErrorResponse,
      examples: examplesOf(beforeTheRoute),
    }),
  ];
}

/** The 200 of a route that has its rows in JSON or packed. */
function okOrPacked(response: Type<unknown>, packedRows: string): MethodDecorator {
  const json = { schema: { $ref: getSchemaPath(response) } };
  const packed = { schema: { type: 'string', format: 'binary', description: packedRows } };
  return applyDecorators(
    ApiExtraModels(response),
    ApiOkResponse({ description: '', content: { 'application/json': json, [packedRowsType]: packed } }),
  );
}

/** One documented response per status, with an example of each of its error types. */
function errorResponses(
  types: readonly ErrorType[],
  bodies: Readonly<Record<number, Type<ErrorResponse>>>,
): MethodDecorator[] {
  const byStatus = new Map<number, ErrorType[]>();
  for (const type of types) {
    const status = statusOfErrorType[type];
    byStatus.set(status, [...(byStatus.get(status) ?? []), type]);
  }
  return [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({
      status,
      description: ofStatus.join(', '),
      type: bodies[status] ?? ErrorResponse,
      examples: examplesOf(ofStatus),
    }),
  );
}

function examplesOf(types: readonly ErrorType[]): Record<string, { summary: string; value: object }> {
  return Object.fromEntries(types.map((type) => [type, { summary: type, value: errorExample(type) }]));
}
