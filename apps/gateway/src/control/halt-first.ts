import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import type { KeyRoleOf } from '../http/api-key';
import { callerOf, keyProblem } from '../http/key-access';
import type { RawBody } from './flatten-wish';
import type { Halt, HaltService } from './halt.service';

const killRoute = '/kill';
const controlRoutes: ReadonlySet<string | undefined> = new Set([killRoute, '/kill/release']);
/** Replaces any content type of a control request, so that one parser handles all of them. */
const anyForm = 'application/x-any-form';
const bodyLimitBytes = 64 * 1_024;
const halts = new WeakMap<FastifyRequest, Promise<Halt>>();
const contentTypes = new WeakMap<FastifyRequest, string>();

/**
 * Fastify's `rewriteUrl`: also routes control requests with trailing slashes, because an emergency stop must not fail
 * with a 404 over the form of its path, also where the request names the host, as requests to a proxy do.
 */
export function withoutSlashesBehindKill({ method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): string {
  return method === 'POST' ? url.replace(/^(?:https?:\/\/[^/?]*)?(\/kill(?:\/release)?)\/*(?=\?|$)/i, '$1') : url;
}

/**
 * Engages the kill switch as soon as the headers of an authenticated POST /kill are read. Parsers and validation run
 * later: the form of the request is reported, but it cannot prevent the halt. The body is kept as raw text.
 */
export function haltBeforeReading(fastify: FastifyInstance, service: HaltService, roleOf: KeyRoleOf): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.method !== 'POST' || !controlRoutes.has(request.routeOptions.url)) return done();
    const problem = keyProblem(request.keyRole, true, roleOf);
    if (problem !== null) return done(problem);
    contentTypes.set(request, request.headers['content-type'] ?? '');
    request.headers = { 'content-type': anyForm };
    if (request.routeOptions.url === killRoute) halts.set(request, service.halt(callerOf(request)));
    done();
  });
  fastify.addContentTypeParser(anyForm, (request, payload, done) => {
    if (!controlRoutes.has(request.routeOptions.url)) {
      return done(new ApiError('unsupported_media_type', `Unsupported Media Type: ${anyForm}`));
    }
    readStart(payload, bodyLimitBytes).then(
      (start): void => done(null, { ...start, contentType: contentTypes.get(request) ?? '' } satisfies RawBody),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  });
}

/** The halt that a request caused. */
export function haltOf(request: FastifyRequest, service: HaltService): Promise<Halt> {
  return halts.get(request) ?? service.halt(callerOf(request));
}

/** Reads a body up to a limit, without waiting for the rest. */
function readStart(payload: IncomingMessage, limitBytes: number): Promise<Omit<RawBody, 'contentType'>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (isTruncated: boolean): void => {
      payload.off('data', take);
      payload.resume();
      resolve({ text: Buffer.concat(chunks).toString('utf8'), isTruncated });
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) finish(true);
    };
    payload.on('data', take);
    payload.once('end', () => finish(false));
    payload.once('error', reject);
  });
}
