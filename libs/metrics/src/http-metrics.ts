import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { DurationHistogram, type DurationSeries } from './duration-histogram';

/**
 * Records the duration of every request in `http_request_duration_seconds{method,route,status}`. Labels contain the
 * route's template, not the path, to bound the number of series. It is a hook, because an interceptor costs two thirds
 * of the throughput of a light read. Returns the function that records a request, for answers without hooks.
 */
export function recordHttp(
  fastify: FastifyInstance,
  registry: Registry,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const histogram = new DurationHistogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const known = new Map<string, DurationSeries>();
  const record = (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.routeOptions.url ?? 'unknown';
    const key = `${request.method} ${route} ${reply.statusCode}`;
    let series = known.get(key);
    if (!series) {
      series = histogram.series({ method: request.method, route, status: String(reply.statusCode) });
      known.set(key, series);
    }
    series.observe(reply.elapsedTime / 1_000);
  };
  fastify.addHook('onResponse', (request, reply, done) => {
    record(request, reply);
    done();
  });
  return record;
}
