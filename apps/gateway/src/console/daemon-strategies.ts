import { Inject, Injectable } from '@nestjs/common';
import { ApiError, systemErrorText } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import type { StrategiesResponse, StrategyLogResponse, StrategyResultsResponse } from './strategies.response';

type Answer = Omit<StrategiesResponse, 'ok'>;
type LogAnswer = Omit<StrategyLogResponse, 'ok'>;
type ResultsAnswer = Omit<StrategyResultsResponse, 'ok'>;

const deadlineMs = 5_000;
/** Far more than a thousand strategies take. */
const mostBytes = 16 * 1_024 * 1_024;

/** Reads of the daemon that CONSOLE_DAEMON_URL names. It sends nothing but these GETs. */
@Injectable()
export class DaemonStrategies {
  private reading: Promise<Answer> | null = null;

  constructor(@Inject(GATEWAY_SETTINGS) private readonly settings: GatewaySettings) {}

  /** One read for all who ask at the same time. Never rejects: a daemon that gives no list is a state of its own, which is not an empty list. */
  read(): Promise<Answer> {
    return (this.reading ??= this.readOnce().finally(() => (this.reading = null)));
  }

  /**
   * The newest lines of a strategy's log, oldest first.
   * @param name of a strategy or a portfolio; that of a child is `portfolio/child`
   * @throws ApiError not_found if the daemon has no log of that name
   */
  async readLog(name: string, lines: number): Promise<LogAnswer> {
    const found = await this.ask(`/logs/${pathOf(name)}?lines=${lines}`, linesOf);
    if (found.daemon === 'reachable' && found.value === null) throw new ApiError('not_found', `no strategy ${name}`);
    return { daemon: found.daemon, error: found.error, lines: found.value };
  }

  /**
   * What a strategy earned in the last days, and the backtest of it.
   * @param name as for {@link readLog}
   * @throws ApiError not_found if the daemon has neither of that name
   */
  async readResults(name: string, days: number): Promise<ResultsAnswer> {
    const [equity, backtest] = await Promise.all([
      this.ask(`/equity/${pathOf(name)}?days=${days}`, partOf('equity')),
      this.ask(`/backtest/${pathOf(name)}`, partOf('backtest')),
    ]);
    const { daemon, error } = equity.daemon === 'unreachable' ? equity : backtest;
    if (daemon !== 'reachable') return { daemon, error, equity: null, backtest: null };
    if (equity.value === null && backtest.value === null) throw new ApiError('not_found', `no strategy ${name}`);
    return { daemon, error, equity: equity.value, backtest: backtest.value };
  }

  private async readOnce(): Promise<Answer> {
    const { daemon, error, value } = await this.ask('/status', rowsOf);
    if (daemon === 'reachable' && value === null) {
      return { daemon: 'unreachable', error: 'the daemon answered with status 404', strategies: null };
    }
    return { daemon, error, strategies: value };
  }

  /** Asks the daemon. `value` is null without a daemon, without an answer, and for what it does not have. */
  private async ask<T>(
    path: string,
    parse: (body: unknown) => T,
  ): Promise<Pick<Answer, 'daemon' | 'error'> & { readonly value: T | null }> {
    const { CONSOLE_DAEMON_URL: url, CONSOLE_DAEMON_TOKEN: token } = this.settings;
    if (url === undefined) return { daemon: 'none', error: null, value: null };
    try {
      const body = await answerOf(`${url.replace(/\/+$/, '')}${path}`, token);
      return { daemon: 'reachable', error: null, value: body === null ? null : parse(body.json) };
    } catch (error) {
      return { daemon: 'unreachable', error: textOf(error), value: null };
    }
  }
}

/** The body of an answer; null for what the daemon does not have. @throws Error if it gives none */
async function answerOf(url: string, token: string | undefined): Promise<{ readonly json: unknown } | null> {
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.timeout(deadlineMs),
  });
  if (response.status === 404) {
    await response.body?.cancel();
    return null;
  }
  if (response.status !== 200) throw new Error(`the daemon answered with status ${response.status}`);
  return { json: JSON.parse(await textOfAnswer(response)) };
}

function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

/** Reads an answer that is an object. */
function partOf(what: string): (body: unknown) => object {
  return (body) => {
    if (!isObject(body) || Array.isArray(body)) throw new Error(`the daemon gave no ${what}`);
    return body;
  };
}

function rowsOf(body: unknown): readonly object[] {
  if (!Array.isArray(body) || !body.every(isObject)) throw new Error('the daemon gave no list of strategies');
  return body;
}

function linesOf(body: unknown): readonly string[] {
  const lines = isObject(body) && 'lines' in body ? body.lines : null;
  if (!Array.isArray(lines) || !lines.every(isText)) throw new Error('the daemon gave no lines of a log');
  return lines;
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** `fetch` wraps the error of the system. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return `no answer within ${deadlineMs} ms`;
  return error.cause === undefined ? error.message : systemErrorText(error.cause);
}
