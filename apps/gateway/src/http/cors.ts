import type { IncomingMessage } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { validationError, type ApiError } from '@libs/envelope';
import type { EarlyHeaders } from '@libs/http-surface';
import type { GatewaySettings } from '../gateway.config';

type Origins = Pick<GatewaySettings, 'CORS_ORIGINS'>;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
/** Request headers that the API reads. */
const allowedHeaders = [
  ...[
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'Last-Event-ID',
    'Traceparent',
    'X-Expect-Login',
    'X-Fence',
    'X-Request-ID',
  ],
];
const exposedHeaders = ['X-Request-ID', 'Idempotent-Replayed', 'Retry-After'];

/** Allows pages of CORS_ORIGINS to call the API; without origins, CORS is off. */
export function enableCors(app: NestFastifyApplication, { CORS_ORIGINS: origins }: Origins): void {
  if (origins.length > 0) app.enableCors({ origin: [...origins], methods, allowedHeaders, exposedHeaders });
}

/** Headers for an answer that is created before the CORS hook runs. */
export function earlyCorsHeaders({ CORS_ORIGINS: origins }: Origins): EarlyHeaders {
  if (origins.length === 0) return () => ({});
  return ({ origin }) => ({
    vary: 'Origin',
    ...(origin !== undefined && origins.includes(origin)
      ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders.join(', ') }
      : {}),
  });
}

/** Rejects an OPTIONS request that is not a preflight, in the envelope; the CORS hook would answer with text. */
export function preflightCheck({ CORS_ORIGINS: origins }: Origins) {
  return ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): ApiError | null => {
    if (method !== 'OPTIONS' || origins.length === 0) return null;
    const missing = ['Origin', 'Access-Control-Request-Method'].filter((name) => !headers[name.toLowerCase()]);
    if (missing.length === 0) return null;
    return validationError(...missing.map((field) => ({ field, problem: 'is required in a preflight' })));
  };
}
