import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DocumentedAnswers } from '../../../apps/gateway/src/testing/documented-answers';
import { type Scratch } from './scratch';
import { bareEnvironment, repository, StartedProgram } from './started-program';
import { waitUntil } from './waits';

/** An answer as a client sees it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; empty when the answer is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Call {
  readonly method?: string;
  /** Sent as JSON, or as it is when it is a text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another key than the gateway's own; null sends none. */
  readonly key?: string | null;
}

const entry = join(repository, 'dist/apps/gateway/src/main.js');
let keys = 0;
/** One for all gateways of a test file: the document is the same whatever their settings are. */
let documented: Promise<DocumentedAnswers> | undefined;

/** The built gateway as a process of its own, on the simulated broker and a free port, its state in a folder that goes away. */
export class GatewayProgram {
  private constructor(
    private readonly program: StartedProgram,
    readonly url: string,
    readonly key: string,
    readonly folder: string,
    readonly stateDir: string,
  ) {}

  /** `undefined` takes a variable out of the defaults. */
  static async start(scratch: Scratch, changes: Record<string, string | undefined> = {}): Promise<GatewayProgram> {
    if (!existsSync(entry)) throw new Error('the product is not built: run npm test, or npm run build first');
    const folder = scratch.folder();
    const env = without({ ...bareEnvironment(), ...demoAccount(folder), API_KEY: 'e2e-key', ...changes });
    const program = new StartedProgram({ command: process.execPath, args: [entry], env });
    scratch.undo(() => program.stop());
    const { url } = JSON.parse(await program.line(/gateway is listening/)) as { url: string };
    return new GatewayProgram(program, url, env.API_KEY ?? '', folder, env.STATE_DIR ?? folder);
  }

  /** As {@link start}, and waits until the account is logged in. */
  static async startReady(scratch: Scratch, changes: Record<string, string | undefined> = {}): Promise<GatewayProgram> {
    const gateway = await GatewayProgram.start(scratch, changes);
    await gateway.until('/health', ({ body }) => body.terminal_status === 'connected');
    return gateway;
  }

  get logs(): readonly string[] {
    return this.program.lines;
  }

  /** The first line of the log that matches, now or later. */
  logLine(pattern: RegExp): Promise<string> {
    return this.program.line(pattern);
  }

  async call(path: string, { method = 'GET', body, headers = {}, key = this.key }: Call = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        // A test that waits for a program in the same breath does not see that the gateway has closed an idle connection.
        connection: 'close',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    await this.requireDocumented(method, path, response, text);
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  /** @throws Error when the OpenAPI document of the running gateway does not describe the answer */
  private async requireDocumented(method: string, url: string, response: Response, text: string): Promise<void> {
    documented ??= fetch(`${this.url}/apidocs/openapi.json`).then(
      async (answer) => new DocumentedAnswers((await answer.json()) as OpenAPIObject),
    );
    const contentType = response.headers.get('content-type') ?? undefined;
    const problems = (await documented).problems({ method, url, status: response.status, contentType, text });
    if (problems.length > 0) throw new Error(`not as documented:\n${problems.join('\n')}`);
  }

  /** A trade request under a key of its own. */
  trade(path: string, body: object, method = 'POST'): Promise<Answer> {
    keys += 1;
    return this.call(path, { method, body, headers: { 'idempotency-key': `e2e-${process.pid}-${keys}` } });
  }

  /** Asks until the answer satisfies; the suite's own time limit is the only other end. */
  until(path: string, satisfies: (answer: Answer) => boolean): Promise<Answer> {
    return waitUntil(`GET ${path} of the gateway`, () => this.call(path), satisfies);
  }

  /** Has the process frozen, as an outage of its host does, until it is thawed. */
  freeze(): void {
    this.program.signal('SIGSTOP');
  }

  thaw(): void {
    this.program.signal('SIGCONT');
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.program.signal('SIGKILL');
    await this.program.exitCode();
  }

  stop(): Promise<number | null> {
    return this.program.stop();
  }
}

function demoAccount(folder: string): Record<string, string> {
  const account = { LOGIN: '100001', PASSWORD: 'simulator', SERVER: 'Simulator-Demo' };
  const both = Object.entries(account).flatMap(([name, value]) => [
    [`SIM_${name}`, value],
    [`TERMINAL_${name}`, value],
  ]);
  return {
    ...(Object.fromEntries(both) as Record<string, string>),
    TERMINAL_API_PORT: '0',
    ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'),
    KILL_SWITCH_FILE: join(folder, 'kill-switch'),
    STATE_DIR: join(folder, 'state'),
    SIM_SYMBOLS: fewSymbols(folder),
  };
}

/** Every start makes the day's bars of all its symbols: the fewer there are, the sooner it is done. */
function fewSymbols(folder: string): string {
  const file = join(folder, 'few-symbols.json');
  const symbols = ['EURUSD', 'GBPUSD', 'USDJPY'].map((name) => ({ name, like: name }));
  writeFileSync(file, JSON.stringify({ symbols }));
  return file;
}

function without(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
