import type { FastifyInstance } from 'fastify';
import { ApiError } from '@libs/envelope';
import { longestAlert } from './alert-fields';

const anyForm = 'application/x-alert';
const taken: readonly string[] = ['text/plain', 'application/json'];

/** Whether a route takes alerts. */
function takesAlerts(url: string | undefined): boolean {
  return url?.startsWith('/signals/') ?? false;
}

/** Keeps the body of an alert as it came: TradingView sends JSON as `application/json`, and anything else as `text/plain`. */
export function readAlertsAsTheyAre(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.method !== 'POST' || !takesAlerts(request.routeOptions.url)) return done();
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== undefined && !taken.includes(type)) {
      const text = `Unsupported Media Type: ${type}; send the alert as ${taken.join(' or ')}`;
      return done(new ApiError('unsupported_media_type', text));
    }
    request.headers['content-type'] = anyForm;
    done();
  });
  fastify.addContentTypeParser(anyForm, { parseAs: 'buffer' }, (request, body, done) => {
    if (!takesAlerts(request.routeOptions.url)) {
      return done(new ApiError('unsupported_media_type', `Unsupported Media Type: ${anyForm}`));
    }
    if (body.length > longestAlert) {
      return done(new ApiError('payload_too_large', `an alert has at most ${longestAlert} bytes`));
    }
    done(null, body);
  });
}
