import { Inject, Injectable } from '@nestjs/common';
import { systemErrorText } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import type { StrategiesResponse } from './strategies.response';

type Answer = Omit<StrategiesResponse, 'ok'>;

const deadlineMs = 5_000;

/** Reads the strategies of the daemon that CONSOLE_DAEMON_URL names. It sends nothing but this one GET. */
@Injectable()
export class DaemonStrategies {
  constructor(@Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings) {}

  /** Never rejects: a daemon that gives no list is a state of its own, which is not an empty list. */
  async read(): Promise<Answer> {
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
  const body: unknown = await response.json();
  if (!Array.isArray(body) || !body.every(isObject)) throw new Error('the daemon gave no list of strategies');
  return body;
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
