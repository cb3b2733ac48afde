import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { InjectOptions } from 'fastify';
import type { FuzzAnswer, FuzzRequest } from './fuzz-request';
import type { Send } from './recorded-sends';
import type { Target } from './request-maker';

/** The HTTP server of a program, before it serves: where a test plants a defect. */
export type Fastify = ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>;
export type Plant = (fastify: Fastify) => void;

/** What was seen of one request. */
export interface Observation {
  readonly request: FuzzRequest;
  /** One for each copy; null for a connection that was closed without an answer. */
  readonly answers: readonly (FuzzAnswer | null)[];
  readonly sends: readonly Send[];
  /** What of the program's state the request changed, in words. */
  readonly changes: readonly string[];
}

/** A program under fuzz. */
export interface Subject extends Target {
  /** Sends a request and waits for the answers. @throws NoAnswerError */
  observe(request: FuzzRequest): Promise<Observation>;
  /** What of an answer the documentation of the program does not say. */
  undocumented(request: FuzzRequest, answer: FuzzAnswer): readonly string[];
  /** What is wrong with the program after all requests. */
  problemsAtEnd(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Injects a request in the process. */
export async function injected(app: NestFastifyApplication, request: FuzzRequest): Promise<FuzzAnswer> {
  const { method, url, headers, body } = request;
  const response = await app.inject({
    // Any word is a method on the wire.
    method: method as NonNullable<InjectOptions['method']>,
    url,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    ...(body === null ? {} : { payload: body }),
  });
  const answered = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: response.statusCode, headers: Object.fromEntries(answered), text: response.body };
}
