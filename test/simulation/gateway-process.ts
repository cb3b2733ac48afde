import type { Readable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import type { Crash } from '@libs/simulated-disk';
import { createGateway } from '../../apps/gateway/src/gateway.app';
import type { GatewaySettings } from '../../apps/gateway/src/gateway.config';
import { gatewayDocument } from '../../apps/gateway/src/gateway.docs';
import type { GatewayEdge } from '../../apps/gateway/src/gateway.edge';
import { DocumentedAnswers } from '../../apps/gateway/src/testing/documented-answers';
import type { HttpAnswer, HttpRequest } from './asks';
import type { KillOrder } from './port-calls';
import { ProgramProcess, type Kill, type ProgramRun } from './program-process';
import type { VirtualTime } from './virtual-time';

export const apiKey = 'simulation-key';

/** One run of the gateway, from its start to its end. */
export type GatewayRun = ProgramRun<NestFastifyApplication>;

/** What a gateway is started with, and what receives its events. */
export interface GatewayWorld {
  readonly time: VirtualTime;
  readonly settings: GatewaySettings;
  /** The ports of one run. */
  readonly edge: (run: GatewayRun) => Partial<GatewayEdge>;
  readonly trace: (line: string) => void;
  /** The run has ended: what it had not brought to disk is lost. */
  readonly ended: (run: GatewayRun, crash: Crash) => void;
  readonly failedToStart: (run: GatewayRun, error: unknown) => void;
  readonly answered: (request: HttpRequest, answer: HttpAnswer) => void;
}

/** An answer of a gateway that has no end. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readable;
  /** Closes the connection, as its reader or the network does. */
  close(): void;
}

/** One for all gateways of the process, because the document does not depend on settings, and its schemas take long to compile. */
let documentedAnswers: DocumentedAnswers | null = null;

/** A gateway that is killed and started again on the same disk. */
export class GatewayProcess {
  private readonly process: ProgramProcess<NestFastifyApplication>;

  /** @param name of the gateway in the trace */
  constructor(
    private readonly world: GatewayWorld,
    name = 'gateway',
  ) {
    this.process = new ProgramProcess({
      ...{ name, time: world.time, trace: world.trace, ended: world.ended, failedToStart: world.failedToStart },
      boot: (run) => this.boot(run),
    });
  }

  /** The present run; null while it is down. */
  get run(): GatewayRun | null {
    return this.process.run;
  }

  get starts(): number {
    return this.process.starts;
  }

  get kills(): number {
    return this.process.kills;
  }

  start(): void {
    this.process.start();
  }

  /** Ends the present run at once, as kill -9 does, and starts the next one later. */
  killNow(kill: Kill): void {
    this.process.killNow(kill);
  }

  /** Ends a run at one of its port calls: the present one, or the next. */
  killAt(order: KillOrder, kill: Kill): void {
    this.process.killAt(order, kill);
  }

  /** Something happens outside at the moment of a later call of the present run. */
  meet(port: string, skip: number, run: () => void): void {
    this.process.meet(port, skip, run);
  }

  /** Forgets what was ordered to be killed. */
  spare(): void {
    this.process.spare();
  }

  /** Nothing runs in the program for a while, as between SIGSTOP and SIGCONT. */
  pause(ms: number): void {
    this.process.pause(ms);
  }

  /** The OpenAPI document of the gateway; null before one was up for the first time. */
  get documented(): DocumentedAnswers | null {
    if (this.run?.app) documentedAnswers ??= new DocumentedAnswers(gatewayDocument(this.run.app));
    return documentedAnswers;
  }

  /** A request arrives. Null when the gateway is not up, or ends before it answers. */
  deliver(request: HttpRequest): Promise<HttpAnswer | null> {
    const { run } = this;
    if (!run?.app) return Promise.resolve(null);
    const { app } = run;
    return new Promise((resolve) => {
      run.waiting.add(resolve);
      run.life.reach(() => {
        void inject(app, request, run.number).then((answer) => {
          run.waiting.delete(resolve);
          if (!run.life.isOver) this.world.answered(request, answer);
          resolve(answer);
        });
      });
    });
  }

  /** Opens an event stream. Null when the gateway is not up, or ends before it answers. */
  open({ url, headers }: HttpRequest): Promise<OpenAnswer | null> {
    const { run } = this;
    if (!run?.app) return Promise.resolve(null);
    const { app } = run;
    return new Promise((resolve) => {
      run.waiting.add(resolve);
      run.life.reach(() => {
        const way = { method: 'GET', url, payloadAsStream: true } as const;
        const opening = app.inject({ ...way, headers: { authorization: `Bearer ${apiKey}`, ...headers } });
        void opening.then((response) => {
          run.waiting.delete(resolve);
          const { statusCode: status } = response;
          const close = (): void => void response.raw.res.destroy();
          resolve({ status, headers: response.headers, body: response.stream(), close });
        });
      });
    });
  }

  private async boot(run: GatewayRun): Promise<NestFastifyApplication> {
    const { settings, edge } = this.world;
    const app = await createGateway(settings, pino({ level: 'silent' }), edge(run));
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  }
}

async function inject(app: NestFastifyApplication, request: HttpRequest, run: number): Promise<HttpAnswer> {
  const { method, url, body, headers } = request;
  const response = await app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    ...(body === undefined ? {} : { payload: body }),
  });
  const text = response.body;
  return { status: response.statusCode, body: parsed(text), text, headers: response.headers, run };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
