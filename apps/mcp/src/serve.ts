import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SystemClock } from '@libs/clock';
import { GatewayClient } from '@libs/gateway-client';
import { StateLock } from '@libs/state-lock';
import { documentPages } from './documents/documents';
import { mcpServers } from './mcp-server';
import type { McpSettings } from './mcp.config';
import { PolicyInForce } from './policy/policy-in-force';
import { serveHttp } from './serve-http';
import { HandleStore } from './trading/handle.store';
import { momentsOf } from './trading/moment';
import { TradeDesk } from './trading/trade-desk';

/** Serves until its client leaves, or a signal ends it. @param say for a person; standard output belongs to the protocol */
export async function serve(settings: McpSettings, isHttp: boolean, say: (line: string) => void): Promise<void> {
  const policy = PolicyInForce.read(settings.MCP_POLICY_FILE);
  const lock = await StateLock.take(settings.MCP_STATE_DIR, 'mcp');
  const now = momentsOf(new SystemClock());
  const gatewayFor = (login: number | null): GatewayClient =>
    new GatewayClient({ baseUrl: settings.GATEWAY_URL, apiKey: settings.API_KEY, expectedLogin: () => login });
  const desk = new TradeDesk({
    policy,
    now,
    gatewayFor,
    store: new HandleStore(settings.MCP_STATE_DIR, now()),
    newId: () => randomUUID().replaceAll('-', ''),
  });
  const parts = { desk, now, gateway: gatewayFor(null), pages: documentPages(), stateKey: randomBytes(32) };
  const servers = mcpServers(parts);
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  if (isHttp) {
    const {
      MCP_HTTP_HOST: host,
      MCP_HTTP_PORT: port,
      MCP_HTTP_KEY: key = '',
      MCP_ALLOWED_HOSTS: allowedHosts,
    } = settings;
    const http = await serveHttp(servers, { host, port, key, allowedHosts });
    say(`trading-mcp serves http://${host}:${http.port}/mcp`);
    await stopped;
    await http.close();
  } else {
    const onError = (error: Error): void => say(`trading-mcp: ${error.message}`);
    const stdio = serveStdio(servers, { onerror: onError });
    await Promise.race([stopped, once(process.stdin, 'close'), once(process.stdin, 'end')]);
    await stdio.close();
  }
  await lock.release();
}
