import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import pino, { type DestinationStream } from 'pino';
import { VirtualClock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { EMBEDDED_SIMULATOR } from '../terminal/terminal.module';
import { stopGateway } from '../stopping/stop-gateway';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';
import { createGateway } from '../gateway.app';
import type { GatewayEdge } from '../gateway.edge';
import { gatewayLogger } from '../gateway.logger';
import { readGatewaySettings } from '../gateway.config';
import { gatewayDocument } from '../gateway.docs';
import { DiskWork } from './disk-work';
import { DocumentedAnswers } from './documented-answers';

export const testKey = 'test-key';

/** The whole gateway on the embedded simulator, in this process, with its state in a folder of its own. */
export interface GatewayUnderTest {
  readonly app: NestFastifyApplication;
  /** Folder of audit log, kill switch and journal. */
  readonly folder: string;
  /** The embedded broker, to inject faults. */
  readonly simulator: Simulator;
  /** An `inject` with the key. */
  readonly call: NestFastifyApplication['inject'];
  stop(): Promise<void>;
}

/** Replacements for parts of the edge. */
interface Start extends Partial<GatewayEdge> {
  readonly env?: Readonly<Record<string, string>>;
  /** Receives what it logs at INFO and above. */
  readonly logged?: DestinationStream;
  /** An existing folder to continue with, instead of a fresh one. */
  readonly folder?: string;
}

/** Starts it and waits for the terminal session. */
export async function gatewayUnderTest({
  env = {},
  folder = freshFolder(),
  logged,
  ...edge
}: Start = {}): Promise<GatewayUnderTest> {
  const settings = readGatewaySettings({
    API_KEY: testKey,
    ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'),
    KILL_SWITCH_FILE: join(folder, 'kill-switch'),
    STATE_DIR: join(folder, 'state'),
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...env,
  });
  const logger = logged ? gatewayLogger(settings, logged) : pino({ level: 'silent' });
  const disk = new DiskWork();
  if (edge.clock instanceof VirtualClock) edge.clock.waitFor(() => disk.idle());
  const app = await createGateway(settings, logger, { stores: disk.stores, files: disk.files, ...edge });
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    await connected(app);
  } catch (error) {
    await app.close();
    throw error;
  }
  const call = (async (options: string | InjectOptions) => {
    const request = typeof options === 'string' ? { url: options } : options;
    const response = await app.inject({
      ...request,
      headers: { authorization: `Bearer ${testKey}`, ...request.headers },
    });
    requireDocumented(app, request, response);
    return response;
  }) as NestFastifyApplication['inject'];
  return { app, folder, simulator: app.get<Simulator>(EMBEDDED_SIMULATOR), call, stop: () => stopGateway(app) };
}

/** Removes the folder of a test. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** One for all gateways of a test file, because the document does not depend on the settings. */
let documented: DocumentedAnswers | undefined;

/** @throws Error if the OpenAPI document does not describe the answer */
function requireDocumented(app: NestFastifyApplication, request: InjectOptions, response: Response): void {
  documented ??= new DocumentedAnswers(documentOf(app));
  const problems = documented.problems({
    method: request.method ?? 'GET',
    url: typeof request.url === 'string' ? request.url : (request.url?.pathname ?? ''),
    status: response.statusCode,
    contentType: contentTypeOf(response),
    text: response.body,
  });
  if (problems.length > 0)
    throw new Error(`the OpenAPI document does not describe this answer:\n${problems.join('\n')}`);
}

/** Made once in a run of the tests and kept in its temporary folder: making it takes longer than most of the tests. */
function documentOf(app: NestFastifyApplication): OpenAPIObject {
  const kept = join(tmpdir(), 'gateway-openapi.json');
  if (existsSync(kept)) return jest.requireActual<OpenAPIObject>(kept);
  const document = gatewayDocument(app);
  const fresh = `${kept}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(document));
  renameSync(fresh, kept);
  return document;
}

function contentTypeOf({ headers }: Response): string | undefined {
  const type = headers['content-type'];
  return typeof type === 'string' ? type : undefined;
}

function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), 'gateway-'));
}

/** Waits for the session; and for the first look at its account and the proof of a new journal, which take writes to the disk. */
async function connected(app: NestFastifyApplication): Promise<void> {
  const [session, evidence, { trust }] = [app.get(TerminalSession), app.get(AccountEvidence), app.get(TradeJournal)];
  const isConnected = (): boolean => session.status().state === 'connected';
  const isKnown = (): boolean => evidence.status.state !== 'unread' && (trust.isProven || trust.isLost);
  for (let turn = 0; turn < 500 && !isConnected(); turn++) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 500 && isConnected() && !isKnown(); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits for what follows an answer; the test's own deadline ends a wait in vain. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
