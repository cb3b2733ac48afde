import { type Clock } from '@libs/clock';

/** A request that was not made, or not followed, because its address is not safe. */
export class InsecureAddressError extends Error {}

/** Wrong status, unreachable host or timeout: a retry may succeed. */
class FetchFailedError extends Error {}

const maxRedirects = 5;

/**
 * Checks that an address is HTTPS, or HTTP to this machine, and contains no credentials.
 * @throws InsecureAddressError
 */
export function secureAddress(address: string, base?: string): URL {
  if (!URL.canParse(address, base)) throw new InsecureAddressError('is not a URL');
  const url = new URL(address, base);
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw new InsecureAddressError(`${url.protocol}//${url.host} is neither HTTPS nor a loopback address`);
  }
  if (url.username !== '' || url.password !== '') throw new InsecureAddressError('contains credentials');
  return url;
}

export interface FetchDeadlines {
  /** For the whole answer, including its body. */
  readonly totalMs: number;
  /** Between two chunks of it. */
  readonly idleMs: number;
}

/** A body as a stream, and its length if the server states it. */
export interface FetchedBody {
  readonly length: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * GET over HTTPS (or loopback) with deadlines for the whole and for silence; every redirect must be as safe. `use`
 * receives the body of a 200 answer; the deadlines apply while it reads.
 * @throws InsecureAddressError or FetchFailedError
 */
export async function secureGet<T>(
  clock: Clock,
  address: string,
  deadlines: FetchDeadlines,
  lifetime: AbortSignal,
  use: (body: FetchedBody) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const give = (reason: string): void => controller.abort(new FetchFailedError(reason));
  const onEnd = (): void => give('stopped');
  lifetime.addEventListener('abort', onEnd);
  if (lifetime.aborted) onEnd();
  const total = clock.setTimer(deadlines.totalMs, () => give(`not complete after ${deadlines.totalMs / 1_000} s`));
  let idle = total;
  const heard = (): void => {
    if (idle !== total) idle.cancel();
    idle = clock.setTimer(deadlines.idleMs, () => give(`no data for ${deadlines.idleMs / 1_000} s`));
  };
  try {
    heard();
    const response = await follow(secureAddress(address), controller.signal);
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    return await use({
      length: Number.isFinite(length) ? length : undefined,
      chunks: chunksOf(response, heard),
    });
  } catch (error) {
    if (error instanceof InsecureAddressError || error instanceof FetchFailedError) throw error;
    if (controller.signal.aborted && controller.signal.reason instanceof FetchFailedError) {
      throw controller.signal.reason;
    }
    throw new FetchFailedError(networkReason(error));
  } finally {
    total.cancel();
    idle.cancel();
    lifetime.removeEventListener('abort', onEnd);
    controller.abort();
  }
}

async function follow(start: URL, signal: AbortSignal): Promise<Response> {
  let url = start;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(url, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      url = secureAddress(location, url.href);
      continue;
    }
    if (response.status !== 200) throw new FetchFailedError(`answered ${response.status}`);
    return response;
  }
  throw new FetchFailedError(`more than ${maxRedirects} redirects`);
}

async function* chunksOf(response: Response, heard: () => void): AsyncIterable<Uint8Array> {
  if (!response.body) return;
  for await (const chunk of response.body) {
    heard();
    yield chunk as Uint8Array;
  }
}

function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return error.cause instanceof Error ? error.cause.message : error.message;
}
