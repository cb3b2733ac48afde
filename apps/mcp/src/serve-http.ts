import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { SystemClock } from '@libs/clock';
import { ApiError, errorBody, requestIdOf } from '@libs/envelope';
import { HttpSurface, methodNotAllowed } from '@libs/http-surface';

export interface HttpOptions {
  readonly host: string;
  /** TCP port; 0 picks a free one. */
  readonly port: number;
  readonly key: string;
  /** Besides the names of this machine. */
  readonly allowedHosts: readonly string[];
}

/** A running HTTP interface. */
export interface HttpInterface {
  readonly port: number;
  close(): Promise<void>;
}

type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

const methods = ['POST'];
const localNames = ['localhost', '127.0.0.1', '[::1]'];
const mostBodyBytes = 262_144;

/**
 * Serves both generations of the protocol at /mcp. A request needs the key, and a page in a browser is refused unless its host is
 * allowed. Rejects if the address is in use.
 */
export async function serveHttp(servers: McpServerFactory, options: HttpOptions): Promise<HttpInterface> {
  const handler = createMcpHandler(servers, { maxRequestBodySize: mostBodyBytes });
  const handle = toNodeHandler(handler, { maxRequestBodySize: mostBodyBytes });
  const names = [...localNames, ...options.allowedHosts];
  const [isHostFine, isOriginFine] = [hostHeaderValidation(names), originValidation(names)];
  const expected = digest(`Bearer ${options.key}`);
  const hasKey = ({ headers }: IncomingMessage): boolean =>
    timingSafeEqual(digest(headers.authorization ?? ''), expected);
  const surface = new HttpSurface({ clock: new SystemClock() });
  const server = surface.createServer(
    (request, response) => {
      if (!isHostFine(request, response) || !isOriginFine(request, response)) return;
      const problem = hasKey(request) ? routeProblem(request) : keyRequired();
      if (problem !== null) return refuse(request, response, problem);
      void handle(asWebRequest(request), response);
    },
    { allowedMethods: (path) => (path === '/mcp' ? methods : []), holdsCredential: hasKey },
  );
  await listening(server, options);
  return {
    port: portOf(server.address()),
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The library answers nothing that is worth reading to a method that it cannot represent. */
function routeProblem(request: IncomingMessage): ApiError | null {
  const { method = '' } = request;
  if (pathOf(request) !== '/mcp') return new ApiError('not_found', 'the MCP server is at /mcp');
  return methods.includes(method) ? null : methodNotAllowed(method, methods);
}

function keyRequired(): ApiError {
  const headers = { 'www-authenticate': 'Bearer' };
  return new ApiError('authentication_error', 'the key of MCP_HTTP_KEY is missing or wrong', { headers });
}

/** The library's type of a request has no members that are undefined. */
function asWebRequest(request: IncomingMessage): NodeRequest {
  const { headers, method = '', url = '' } = request;
  return { headers, method, url, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() };
}

function listening(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function pathOf({ url }: IncomingMessage): string {
  return (url ?? '').split('?', 1)[0] ?? '';
}

/** Of equal length for every text, so that a comparison tells nothing of the key. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  const id = requestIdOf(request);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': id, ...error.headers };
  response.writeHead(error.status, headers).end(JSON.stringify(errorBody(error, id)));
}
