import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

/** Seconds, from a read from memory to a trade that waits for its broker. */
export const histogramBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Records the duration of every request in `http_request_duration_seconds{method,route,status}`. Labels contain the
 * route's template, not the path, to bound the number of series. It is a hook, because an interceptor costs two thirds
 * of the throughput of a light read. Returns the function that records a request, for answers without hooks.
 */
export function recordHttp(
  fastify: FastifyInstance,
  registry: Registry,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: histogramBuckets,
    registers: [registry],
  });
  const series = new Map<string, { observe(seconds: number): void }>();
  const record = (request: FastifyRequest, reply: FastifyReply): void => {
    const route = request.routeOptions.url ?? 'unknown';
    const key = `${request.method} ${route} ${reply.statusCode}`;
    let child = series.get(key);
    if (!child) {
      child = histogram.labels(request.method, route, String(reply.statusCode));
      series.set(key, child);
    }
    child.observe(reply.elapsedTime / 1_000);
  };
  fastify.addHook('onResponse', (request, reply, done) => {
    record(request, reply);
    done();
  });
  return record;
}
