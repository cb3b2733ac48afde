import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';

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
  const server = createServer((request, response) => {
    if (!isHostFine(request, response) || !isOriginFine(request, response)) return;
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      return refuse(response, 401, 'the key of MCP_HTTP_KEY is missing or wrong');
    if (pathOf(request) !== '/mcp') return refuse(response, 404, 'the MCP server is at /mcp');
    void handle(asWebRequest(request), response);
  });
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

function refuse(response: ServerResponse, status: number, error: string): void {
  const headers = { 'content-type': 'application/json', ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) };
  response.writeHead(status, headers).end(JSON.stringify({ ok: false, error }));
}
