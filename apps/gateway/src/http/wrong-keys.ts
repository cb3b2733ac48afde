import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { Clock } from '@libs/clock';
import type { MetricsRegistry } from '@libs/metrics';
import type { GatewaySettings } from '../gateway.config';
import { authorizationOf } from './api-key';

/** Guesses come in thousands, so that they share a line. */
const quietMs = 60_000;
/** A shorter key can be guessed. */
const shortKey = 16;
const keyNames = ['API_KEY', 'API_KEY_NEXT', 'API_KEY_READONLY'] as const;

interface Watched {
  readonly clock: Clock;
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
}

/** Counts requests with a wrong key, and logs at most one line a minute with their number since the last one. */
export function watchWrongKeys(fastify: FastifyInstance, { clock, registry, logger }: Watched): void {
  const total = new Counter({
    name: 'wrong_keys_total',
    help: 'Requests that were refused because their key is wrong.',
    registers: [registry],
  });
  const log = logger.child({ context: 'keys' });
  let requests = 0;
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  fastify.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode === 401 && authorizationOf(request.raw) !== undefined) {
      total.inc();
      requests += 1;
      if (clock.monotonicMs() >= quietUntilMs) {
        log.warn({ requests, address: request.ip }, 'a request with a wrong key was refused');
        requests = 0;
        quietUntilMs = clock.monotonicMs() + quietMs;
      }
    }
    done();
  });
}

/** Names the settings whose key is short, never the key. */
export function warnOfShortKeys(
  settings: Partial<Pick<GatewaySettings, (typeof keyNames)[number]>>,
  logger: Logger,
): void {
  const short = keyNames.filter((name) => {
    const key = settings[name];
    return key !== undefined && key.length < shortKey;
  });
  if (short.length > 0) {
    logger.warn({ settings: short }, `a key of fewer than ${shortKey} characters can be guessed: use a longer one`);
  }
}
