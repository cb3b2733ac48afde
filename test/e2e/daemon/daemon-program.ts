import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { waitUntil } from '../programs/waits';

const entry = join(repository, 'dist/apps/daemon/src/main.js');

/** What the suites read of `GET /status/<name>`. */
export interface StatusBody {
  readonly state: string;
  readonly halted: boolean;
  readonly haltReason: string | null;
  readonly problem: string | null;
  readonly startedAt: string | null;
  readonly uptimeMs: number;
  readonly restarts: number;
  readonly lastFailure: { readonly at: string; readonly reason: string } | null;
  readonly balance: number;
  readonly equity: number;
  readonly realized: number;
  readonly unrealized: number;
  readonly trades: number;
  readonly lastTrade: Readonly<Record<string, unknown>> | null;
  readonly missedBars: number;
  readonly lateBars: number;
  readonly inboundQueueDepth: number;
  readonly positions: readonly { readonly ticket: number; readonly volume: number }[];
  readonly pendingOrders: readonly { readonly ticket: number }[];
  readonly pendingStackLayers: readonly { readonly layer: number; readonly triggerPrice: number }[];
  readonly orders: Readonly<Record<'blocked' | 'rejected' | 'denied' | 'stale' | 'unknown' | 'inFlight', number>>;
  readonly persistence: {
    readonly writes: number;
    readonly failedWrites: number;
    readonly lastError: string | null;
  };
}

/** How the money of a gateway's account is attributed, in `GET /health`. */
export interface AccountBody {
  readonly login: number;
  readonly balance: number | null;
  readonly equity: number | null;
  readonly unrealized: number | null;
  readonly strategies: { readonly realized: number; readonly unrealized: number } | null;
  readonly removed: { readonly realized: number } | null;
  readonly unattributed: { readonly balance: number; readonly unrealized: number } | null;
  readonly problem: string | null;
}

/** What the suites read of `GET /health`. */
export interface HealthBody {
  readonly status: string;
  readonly condition: string;
  readonly problems: readonly string[];
  readonly perStrategy: readonly { readonly name: string; readonly state: string; readonly problem: string | null }[];
  readonly gateways: readonly {
    readonly name: string;
    readonly reachable: boolean;
    readonly ready: boolean;
    readonly lastError: string | null;
    readonly streaming: boolean;
    readonly tickGaps: number;
    readonly lostTicks: number;
    readonly account?: AccountBody | null;
  }[];
}

export interface ControlAnswer<Body> {
  readonly status: number;
  readonly text: string;
  /** Null when the answer is not JSON. */
  readonly body: Body;
}

interface Start {
  /** Null: none is named. */
  readonly config: string | null;
  readonly stateDir: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** A command line that runs another, to run it by. */
  readonly by?: readonly string[];
}

/** The built daemon as a process of its own. */
export class DaemonProgram {
  private constructor(
    readonly program: StartedProgram,
    readonly stateDir: string,
    private readonly token: string | undefined,
    private readonly port: number,
  ) {}

  /** Starts it and waits for its control port. */
  static async start(scratch: Scratch, start: Start): Promise<DaemonProgram> {
    const program = DaemonProgram.spawn(start);
    scratch.undo(() => program.stop());
    const { url } = JSON.parse(await program.line(/control port is listening/)) as { url: string };
    const port = new URL(url).port;
    return new DaemonProgram(program, start.stateDir, start.env?.['DAEMON_CONTROL_TOKEN'], Number(port));
  }

  /** Starts it and waits for nothing. */
  static spawn({ config, stateDir, env = {}, flags = [], by = [] }: Start): StartedProgram {
    if (!existsSync(entry)) throw new Error('the product is not built: run npm test, or npm run build first');
    const [command = process.execPath, ...args] = [...by, process.execPath];
    return new StartedProgram({
      command,
      args: [
        ...args,
        entry,
        'start',
        ...(config === null ? [] : ['--config', config]),
        '--state-dir',
        stateDir,
        ...flags,
      ],
      env: { ...bareEnvironment(), ...env },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async call<Body = Readonly<Record<string, unknown>>>(
    path: string,
    token: string | null | undefined = this.token,
  ): Promise<ControlAnswer<Body>> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      headers: token == null ? {} : { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    return { status: response.status, text, body: (/^[{[]/.test(text) ? JSON.parse(text) : null) as Body };
  }

  /** An answer that goes on until the caller stops reading. */
  follow(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`);
  }

  async status(name: string): Promise<StatusBody> {
    return (await this.call<StatusBody>(`/status/${name}`)).body;
  }

  /** Asks until the strategy's status satisfies; the suite's own time limit is the only other end. */
  untilStatus(name: string, satisfies: (body: StatusBody) => boolean): Promise<StatusBody> {
    return this.until(`/status/${name}`, satisfies);
  }

  untilHealth(satisfies: (body: HealthBody) => boolean): Promise<HealthBody> {
    return this.until('/health', satisfies);
  }

  async until<Body>(path: string, satisfies: (body: Body) => boolean): Promise<Body> {
    const ask = async (): Promise<Body> => (await this.call<Body>(path)).body;
    return waitUntil(`GET ${path} of the daemon`, ask, satisfies);
  }

  /** How many requests of the process before it never left: the gateway made their keys void, and they count as rejected. */
  get voided(): number {
    return this.program.output.split('"msg":"absent"').length - 1;
  }

  stop(): Promise<number | null> {
    return this.program.stop();
  }

  /** As a power failure ends it. */
  kill(): Promise<number | null> {
    this.program.signal('SIGKILL');
    return this.program.exitCode();
  }
}

export interface StrategyText {
  readonly name: string;
  /** Path of the strategy file. */
  readonly module: string;
  readonly magic?: number;
  readonly symbol?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Writes a configuration of one gateway and some strategies; returns its path. */
export function configuration(
  folder: string,
  url: string,
  strategies: readonly StrategyText[],
  expect: object = {},
): string {
  const document = {
    gateways: { demo: { url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0, expect } },
    strategies: strategies.map(({ name, module, magic = 41001, symbol = 'EURUSD', more = {} }) => ({
      ...{ name, module, magic, streams: { main: `demo:${symbol}@M1` }, capital: 10_000 },
      ...more,
    })),
  };
  const path = join(folder, 'daemon.yaml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(document));
  return path;
}

/**
 * Writes a strategy file; returns its path.
 * @param onBar the body of `onBar`, which counts `bars`
 * @param more other handlers
 * @param state what the handlers share, beside `bars`
 */
export function strategyFile(folder: string, name: string, onBar: string, more = '', state = ''): string {
  const path = join(folder, `${name}.ts`);
  writeFileSync(
    path,
    `import { defineStrategy, type Bar, type Fill, type OrderGone, type Trade } from '@libs/strategy';
class Params {}
export default defineStrategy({
  version: 1,
  params: Params,
  create: () => {
    let bars = 0;
    ${state}
    return {
      onBar(bar: Bar, trade: Trade) {
        bars++;
        ${onBar}
      },
      ${more}
    };
  },
});
`,
  );
  return path;
}
