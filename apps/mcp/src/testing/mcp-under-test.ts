import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { VirtualClock } from '@libs/clock';
import { GatewayClient } from '@libs/gateway-client';
import { gatewayUnderTest, testKey, type GatewayUnderTest } from '../../../gateway/src/testing/gateway-under-test';
import { documentPages } from '../documents/documents';
import { mcpServers } from '../mcp-server';
import { PolicyInForce } from '../policy/policy-in-force';
import { HandleStore } from '../trading/handle.store';
import type { Moment } from '../trading/moment';
import { TradeDesk } from '../trading/trade-desk';

export type Era = 'legacy' | 'modern';

/** What the person of a client answers to a question; null: the client asks no person. */
export type Person = ((message: string) => ElicitResult) | null;

/** A whole MCP server in front of a whole gateway with its simulator. */
export class McpUnderTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  /** Of the process that was started last. */
  policyFile = '';
  /** What the wall clock of the server is set forward by, in milliseconds. */
  wallStepMs = 0;
  /** Which start of the machine it is. */
  boot = 'first';
  private files = 0;
  private ids = 0;
  private readonly clients: Client[] = [];
  /** Called with each request to the gateway that trades, before it is sent. */
  onTrade: (url: string, init: RequestInit) => Promise<Response> = (url, init) => fetch(url, init);
  /** Called with each answer to a read, before the server sees it. */
  onRead: (url: string, answer: Response) => Promise<Response> = (_url, answer) => Promise.resolve(answer);

  private constructor(
    readonly gateway: GatewayUnderTest,
    readonly address: string,
    readonly clock: VirtualClock,
    private readonly policy: object,
  ) {}

  static async start(clock: VirtualClock, policy: object, env: Record<string, string> = {}): Promise<McpUnderTest> {
    const gateway = await gatewayUnderTest({ clock, env: { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens', ...env } });
    await gateway.app.listen(0, '127.0.0.1');
    return new McpUnderTest(gateway, await gateway.app.getUrl(), clock, policy);
  }

  readonly now = (): Moment => {
    const { clock, boot, wallStepMs } = this;
    return { nowMs: clock.nowMs() + wallStepMs, boot, upMs: clock.monotonicMs() };
  };

  /** A fresh process of the server on the same state folder. */
  servers(policy: object = this.policy): McpServerFactory {
    // A file of its own for each process: JSON is YAML.
    this.policyFile = join(this.folder, `policy-${++this.files}.yaml`);
    writeFileSync(this.policyFile, JSON.stringify(policy));
    const edge = {
      fetch: (url: string, init: RequestInit) =>
        new Headers(init.headers).has('idempotency-key')
          ? this.onTrade(url, init)
          : fetch(url, init).then((answer) => this.onRead(url, answer)),
      setTimer: (delayMs: number, run: () => void) => {
        const timer = setTimeout(run, delayMs);
        return { cancel: () => clearTimeout(timer) };
      },
    };
    const gatewayFor = (login: number | null): GatewayClient =>
      new GatewayClient({ baseUrl: this.address, apiKey: testKey, expectedLogin: () => login, edge });
    const { now } = this;
    const store = new HandleStore(this.folder, now());
    const newId = (): string => `${++this.ids}`.padStart(32, '0');
    const desk = new TradeDesk({ policy: PolicyInForce.read(this.policyFile), store, now, gatewayFor, newId });
    const parts = { desk, now, gateway: gatewayFor(null), pages: documentPages(), stateKey: randomBytes(32) };
    return mcpServers(parts);
  }

  /** A client on a connection of its own. */
  async connect(servers: McpServerFactory, era: Era, person: Person = null): Promise<Client> {
    const [near, far] = InMemoryTransport.createLinkedPair();
    serveStdio(servers, { transport: far });
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: person === null ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
      },
    );
    if (person !== null) {
      client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
    }
    await client.connect(near);
    this.clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.gateway.stop();
  }
}
