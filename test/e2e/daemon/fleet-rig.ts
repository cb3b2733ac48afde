import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayProgram } from '../programs/gateway-program';
import type { PostgresServer } from '../programs/postgres';
import type { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { waitUntil } from '../programs/waits';
import { configuration, DaemonProgram, type StrategyText } from './daemon-program';

/** What the suites read of the gateway's audit log. */
export interface AuditLine {
  readonly timestamp: string;
  readonly event: string;
  readonly route: string | null;
  readonly error_type: string | null;
  readonly fence?: string | null;
  readonly fence_token?: number | null;
  readonly client_order_id?: string | null;
}

/** A result in the account's currency, and the tickets of open positions. */
interface Books {
  readonly realized: string;
  readonly tickets: readonly number[];
}

/** Daemons of one fleet, with one gateway. */
export class FleetHosts {
  /** How a host reaches the database, by its name; directly if absent. */
  readonly databaseUrls = new Map<string, string>();
  /** How a host reaches the gateway, by its name; directly if absent. */
  readonly gatewayUrls = new Map<string, string>();
  private readonly folders = new Map<string, string>();
  /** What was read of the audit log, which only grows. */
  private readonly auditLines: AuditLine[] = [];
  private auditBytes = 0;

  constructor(
    private readonly scratch: Scratch,
    private readonly server: PostgresServer,
    readonly gateway: GatewayProgram,
    private readonly strategies: readonly StrategyText[],
    private readonly leaseSeconds = 3,
  ) {}

  /** Stores the configuration in the database. @returns what the command has printed */
  apply(): Promise<string> {
    return this.command('apply', configuration(this.scratch.folder(), this.gateway.url, this.strategies));
  }

  /**
   * Starts a host, on the disk that it had before, and waits for its control port.
   * @param isStored its configuration is that of the database
   */
  start(name: string, isStored = false): Promise<DaemonProgram> {
    const folder = this.folders.get(name) ?? this.scratch.folder();
    this.folders.set(name, folder);
    const gatewayUrl = this.gatewayUrls.get(name) ?? this.gateway.url;
    return DaemonProgram.start(this.scratch, {
      config: isStored ? null : configuration(folder, gatewayUrl, this.strategies),
      stateDir: join(folder, 'state'),
      env: {
        ...{ API_KEY: 'e2e-key', DAEMON_DATABASE_URL: this.databaseUrls.get(name) ?? this.server.url },
        ...{ DAEMON_HOST_NAME: name, DAEMON_LEASE_SECONDS: String(this.leaseSeconds) },
      },
    });
  }

  /** Runs a command of the fleet. @returns what it has printed. @throws Error when it fails */
  async command(...args: readonly string[]): Promise<string> {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), ...args],
      env: { ...bareEnvironment(), API_KEY: 'e2e-key', DAEMON_DATABASE_URL: this.server.url },
    });
    const code = await program.exitCode();
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${program.output}`);
    return program.output;
  }

  /** Waits until a host trades: its strategy has closed some trades since it was taken over. */
  async untilTrades(daemon: DaemonProgram, strategy: string, more = 2): Promise<number> {
    const running = await waitUntil(
      `${strategy} to run on this host`,
      () => daemon.status(strategy),
      (status) => status.state === 'running',
    );
    const { trades } = await daemon.untilStatus(strategy, (status) => status.trades >= running.trades + more);
    return trades;
  }

  /** Tokens of all sends, in their order, by the gateway's audit log; null for one without a fence. */
  get sentUnder(): readonly (number | null)[] {
    return this.sends.map(({ fence_token: token }) => token ?? null);
  }

  /** Keys of all sends by the gateway's audit log, in their order. */
  get sentKeys(): readonly string[] {
    return this.sends.map(({ client_order_id: key }) => key ?? '');
  }

  /** All sends, in their order, by the gateway's audit log. */
  get sends(): readonly AuditLine[] {
    return this.audit().filter(({ event }) => event === 'intent');
  }

  /** Requests that the gateway refused because a later holder has raised the fence. */
  get fencedOut(): readonly AuditLine[] {
    return this.audit().filter(({ error_type: type }) => type === 'fenced_out');
  }

  /** The lines of the gateway's audit log. */
  audit(): readonly AuditLine[] {
    const path = join(this.gateway.folder, 'order-audit.jsonl');
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(fstatSync(file).size - this.auditBytes);
      const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, this.auditBytes));
      // The last line may be half written.
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      this.auditBytes += Buffer.byteLength(whole);
      const lines = whole.split('\n').filter(Boolean);
      this.auditLines.push(...lines.map((line) => JSON.parse(line) as AuditLine));
    } finally {
      closeSync(file);
    }
    return this.auditLines;
  }

  /** Halts the gateway. @returns what a host has booked of a strategy, and what the broker has */
  async books(daemon: DaemonProgram, strategy: string): Promise<{ readonly own: Books; readonly broker: Books }> {
    await this.gateway.call('/kill', { method: 'POST' });
    const status = await daemon.untilStatus(strategy, ({ orders }) => orders.blocked >= 1 && orders.inFlight === 0);
    const { body } = await this.gateway.call('/account');
    const rows = (await this.gateway.call('/get_positions')).body['data'] as readonly { readonly ticket: number }[];
    const own = { realized: status.realized.toFixed(6), tickets: status.positions.map(({ ticket }) => ticket) };
    const realized = (Number(body['balance']) - 10_000).toFixed(6);
    return { own, broker: { realized, tickets: rows.map(({ ticket }) => ticket) } };
  }
}

/** Numbers of holders, if each sent only before the next one did, and nothing was sent without a token; else null. */
export function holdersInTurn(tokens: readonly (number | null)[]): number | null {
  const isInTurn = tokens.every((token, index) => token !== null && token >= (tokens[index - 1] ?? 0));
  return isInTurn ? new Set(tokens).size : null;
}

/** Whether a statement to the database writes the intent of an exit, before it is sent. */
export function beginsExit(statement: string): boolean {
  const text = statement.replace(/[0-9a-f]{20,}/g, (digits) => Buffer.from(digits, 'hex').toString('latin1'));
  return /"isEntry":false[^{}]*"state":"open"/.test(text);
}
