import { join } from 'node:path';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import type { Scratch } from '../e2e/programs/scratch';

const key = 'chaos-key';

/** What came back; null when nothing did, because the gateway was killed or is not up. */
export interface ChaosAnswer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

interface Options {
  /** Instead of a folder of its own. */
  readonly stateDir?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A gateway that is killed without warning and started again on the same folders. */
export class ChaosGateway {
  readonly folder: string;
  private program: StartedProgram | null = null;
  private url = '';

  constructor(
    scratch: Scratch,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly options: Options = {},
  ) {
    this.folder = scratch.folder();
    scratch.undo(() => this.stop());
  }

  get auditFile(): string {
    return join(this.folder, 'order-audit.jsonl');
  }

  /** Starts it and waits until it trades. */
  async start(): Promise<void> {
    this.program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/gateway/src/main.js')],
      env: {
        ...bareEnvironment(),
        ...this.settings,
        API_KEY: key,
        TERMINAL_API_PORT: '0',
        TERMINAL_TRADE_TIMEOUT_MS: '2000',
        TERMINAL_RECONNECT_BASE_DELAY: '0.05',
        LOG_LEVEL: 'INFO',
        ORDER_AUDIT_FILE: this.auditFile,
        KILL_SWITCH_FILE: join(this.folder, 'kill-switch'),
        STATE_DIR: this.options.stateDir ?? join(this.folder, 'state'),
        ...this.options.env,
      },
    });
    const { url } = JSON.parse(await this.program.line(/gateway is listening/)) as { url: string };
    this.url = url;
    for (;;) {
      const answer = await this.call('GET', '/health');
      if (answer?.text.includes('"terminal_status":"connected"')) return;
      await pause(10);
    }
  }

  /** kill -9: no handler runs, nothing is flushed. */
  async kill(): Promise<void> {
    this.url = '';
    this.program?.signal('SIGKILL');
    await this.program?.exitCode();
  }

  /** SIGSTOP: it does nothing until {@link thaw}, and the world goes on. */
  freeze(): void {
    this.program?.signal('SIGSTOP');
  }

  thaw(): void {
    this.program?.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    this.thaw();
    await this.program?.stop();
  }

  async call(method: string, path: string, body?: object, idempotencyKey?: string): Promise<ChaosAnswer | null> {
    if (this.url === '') return null;
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return {
        status: response.status,
        text: await response.text(),
        replayed: response.headers.get('idempotent-replayed') === 'true',
      };
    } catch {
      return null;
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
