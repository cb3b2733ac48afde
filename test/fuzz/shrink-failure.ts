import type { FuzzRequest } from './fuzz-request';
import { replay, type Failure, type Start } from './run';

const mostRuns = 60;

/**
 * Drops requests, headers, query parameters and fields for as long as the same rule is broken.
 * @returns the shortest failure that was found
 */
export async function shrunk(start: Start, failure: Failure): Promise<Failure> {
  const rule = failure.faults[0]?.rule;
  let runs = 0;
  let small = failure;
  const fails = async (sent: readonly FuzzRequest[]): Promise<boolean> => {
    runs += 1;
    const found = (await replay(start, failure.seed, sent)).failure;
    if (found === null || !found.faults.some((fault) => fault.rule === rule)) return false;
    small = found;
    return true;
  };
  // Most failures need their last request alone.
  const last = failure.sent.slice(-1);
  if (!(await fails(last))) {
    for (let size = Math.ceil(failure.sent.length / 2); size >= 1 && runs < mostRuns; size = Math.floor(size / 2)) {
      for (let at = small.sent.length - 1; at > 0 && runs < mostRuns; at -= size) {
        await fails([...small.sent.slice(0, Math.max(0, at - size)), ...small.sent.slice(at)]);
      }
    }
  }
  for (let isSmaller = true; isSmaller && runs < mostRuns;) {
    isSmaller = false;
    for (const request of simpler(small.sent.at(-1))) {
      if (runs >= mostRuns || !(await fails([...small.sent.slice(0, -1), request]))) continue;
      isSmaller = true;
      break;
    }
  }
  return small;
}

/** The request with one thing less. */
function simpler(request: FuzzRequest | undefined): readonly FuzzRequest[] {
  if (!request) return [];
  const { headers, body, url, copies, waitMs } = request;
  const [path = '', query] = url.split('?');
  const parameters = query === undefined ? [] : query.split('&');
  return [
    ...(waitMs > 0 ? [{ ...request, waitMs: 0 }] : []),
    ...(copies > 1 ? [{ ...request, copies: 1 }] : []),
    ...headers
      .map((_, at) => headers.toSpliced(at, 1))
      // Without the credential it would be another request.
      .filter((fewer) => fewer.some(([name]) => name === 'authorization') || request.credential !== 'right')
      .map((fewer) => ({ ...request, headers: fewer })),
    ...parameters.map((_, at) => ({ ...request, url: withQuery(path, parameters.toSpliced(at, 1)) })),
    ...bodiesWithout(body).map((smaller) => ({ ...request, body: smaller })),
  ];
}

function withQuery(path: string, parameters: readonly string[]): string {
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

/** No body, or an object with one field less. */
function bodiesWithout(body: Buffer | null): readonly (Buffer | null)[] {
  if (body === null) return [];
  let fields: [string, unknown][] = [];
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) fields = Object.entries(value);
  } catch {
    // Not JSON: it can only be left out.
  }
  return [null, ...fields.map((_, at) => Buffer.from(JSON.stringify(Object.fromEntries(fields.toSpliced(at, 1)))))];
}
