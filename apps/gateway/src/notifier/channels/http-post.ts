import type { Delivery } from './channel';

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** More of an answer is not read. */
const longestAnswer = 64 * 1_024;
const longestWaitMs = 3_600_000;
const refusals: readonly number[] = [400, 413, 415, 422];

/**
 * Posts JSON once. 2xx means taken. A redirect is a failure, because it would send the message somewhere else. The reason of a
 * failure is the status or the code of the error: addresses and answers can contain credentials.
 */
export async function post({ url, body, headers = {}, signal }: Post): Promise<Delivery> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal,
      headers: { 'content-type': 'application/json', ...headers },
    });
    const answer = await answerOf(response);
    if (response.ok) return { kind: 'taken' };
    const retryAfterMs = retryAfter(response.headers, answer);
    return {
      kind: 'failed',
      reason: `HTTP ${response.status}`,
      isRefused: refusals.includes(response.status),
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    };
  } catch (error) {
    return { kind: 'failed', reason: failureReason(error) };
  }
}

/** The name or code of an error, never its message. */
export function failureReason(error: unknown): string {
  const { name, code, cause } = factsOf(error);
  if (name === 'AbortError' || name === 'TimeoutError') return 'no answer in time';
  const inner = factsOf(cause);
  return inner.code ?? code ?? inner.name ?? name ?? 'failed';
}

function factsOf(error: unknown): { name?: string; code?: string; cause?: unknown } {
  if (typeof error !== 'object' || error === null) return {};
  const { name, code, cause } = error as Record<string, unknown>;
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    cause,
  };
}

async function answerOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part as Uint8Array);
    length += (part as Uint8Array).length;
    if (length > longestAnswer) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * The wait of a Retry-After header, in seconds or as a date by the clock of the server, or of Telegram's and Discord's answers;
 * null if there is none.
 */
function retryAfter(headers: Headers, answer: string): number | null {
  const header = headers.get('retry-after');
  const seconds = header === null ? secondsIn(answer) : /^\d+(\.\d+)?$/.test(header) ? Number(header) : null;
  const untilDateMs = Date.parse(header ?? '') - Date.parse(headers.get('date') ?? '');
  const waitMs = seconds === null ? untilDateMs : seconds * 1_000;
  return Number.isNaN(waitMs) ? null : Math.min(longestWaitMs, Math.max(0, waitMs));
}

function secondsIn(answer: string): number | null {
  try {
    const { retry_after: own, parameters } = JSON.parse(answer) as Record<string, unknown>;
    const given = own ?? (parameters as Record<string, unknown> | undefined)?.['retry_after'];
    return typeof given === 'number' && given >= 0 ? given : null;
  } catch {
    return null;
  }
}
