import { Inject, Injectable } from '@nestjs/common';
import { systemErrorText } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import type { StrategiesResponse } from './strategies.response';

type Answer = Omit<StrategiesResponse, 'ok'>;

const deadlineMs = 5_000;
/** Far more than a thousand strategies take. */
const mostBytes = 16 * 1_024 * 1_024;

/** Reads the strategies of the daemon that CONSOLE_DAEMON_URL names. It sends nothing but this one GET. */
@Injectable()
export class DaemonStrategies {
  private reading: Promise<Answer> | null = null;

  constructor(@Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings) {}

  /** One read for all who ask at the same time. Never rejects: a daemon that gives no list is a state of its own, which is not an empty list. */
  read(): Promise<Answer> {
    return (this.reading ??= this.readOnce().finally(() => (this.reading = null)));
  }

  private async readOnce(): Promise<Answer> {
    const { CONSOLE_DAEMON_URL: url, CONSOLE_DAEMON_TOKEN: token } = this.settings;
    if (url === undefined) return { daemon: 'none', error: null, strategies: null };
    try {
      return { daemon: 'reachable', error: null, strategies: await statusOf(url, token) };
    } catch (error) {
      return { daemon: 'unreachable', error: textOf(error), strategies: null };
    }
  }
}

/** @throws Error if the daemon gives no list */
async function statusOf(url: string, token: string | undefined): Promise<readonly object[]> {
  const response = await fetch(`${url.replace(/\/+$/, '')}/status`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(deadlineMs),
  });
  if (response.status !== 200) throw new Error(`the daemon answered with status ${response.status}`);
  const body: unknown = JSON.parse(await textOfAnswer(response));
  if (!Array.isArray(body) || !body.every(isObject)) throw new Error('the daemon gave no list of strategies');
  return body;
}

/** @throws Error if the answer is too long; it is not read to its end */
async function textOfAnswer(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    const bytes = part as Uint8Array;
    length += bytes.length;
    if (length > mostBytes) throw new Error(`the answer of the daemon is larger than ${mostBytes} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** `fetch` wraps the error of the system. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return `no answer within ${deadlineMs} ms`;
  return error.cause === undefined ? error.message : systemErrorText(error.cause);
}
