import { queryObjects } from 'node:v8';
import { effort } from '../setup/effort';
import type { FuzzRequest } from './fuzz-request';
import { RequestMaker } from './request-maker';
import type { Subject } from './subject';

/** Rounds in which caches fill and code is compiled. */
const warmUpRounds = 2;
const measuredRounds = 5;
const paddingBytes = 6_000;

/** What a program keeps of a request that nothing has to remember, on average. */
export interface Kept {
  /** Live objects of JavaScript, arrays and functions included. */
  readonly objects: number;
  /** Of the heap: compiled code and what the engine knows of it come and go, some 500 for each request. */
  readonly bytes: number;
}

/** Above this something is kept. A leak keeps at least one object, or one text, for each request of some kind. */
export const mostKept: Kept = { objects: effort(0.4, 0.1), bytes: 1_500 };

/** Sends the same kinds of requests in rounds, and compares what is alive after each. */
export async function keptOfRequests(subject: Subject, requestsOfRound: number): Promise<Kept> {
  const alive: Kept[] = [];
  for (let round = 1; round <= warmUpRounds + measuredRounds; round++) {
    for (const request of forgettable(subject, round, requestsOfRound)) await subject.observe(request);
    if (round >= warmUpRounds) alive.push(aliveNow());
  }
  const growth = (of: (kept: Kept) => number): number =>
    median(alive.slice(1).map((kept, at) => of(kept) - of(alive[at] ?? kept))) / requestsOfRound;
  return { objects: growth(({ objects }) => objects), bytes: growth(({ bytes }) => bytes) };
}

/**
 * The same kinds of requests in every round, with other values. Trade requests and keys that become void are left out,
 * because the journal remembers them; time stands still, because the market's history grows with it.
 */
function forgettable(subject: Subject, round: number, count: number): readonly FuzzRequest[] {
  const maker = new RequestMaker(round, subject);
  const isRemembered = ({ method }: FuzzRequest): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method);
  const requests: FuzzRequest[] = [];
  for (let number = 1; requests.length < count; number++) {
    const request = maker.make(number);
    if (!isRemembered(request) && !isCostly(request)) requests.push({ ...padded(request), waitMs: 0, copies: 1 });
  }
  return requests;
}

/** Every other request has a long text that no other one has: where texts are kept, the heap shows it. */
function padded(request: FuzzRequest): FuzzRequest {
  const { number, url } = request;
  if (number % 2 === 0) return request;
  return { ...request, url: `${url}${url.includes('?') ? '&' : '?'}padding=${'x'.repeat(paddingBytes)}${number}` };
}

/** Documents and long histories are large: the heap would be measured with some of them in caches. */
function isCostly({ url, way }: FuzzRequest): boolean {
  return way === 'socket' || /^\/(?:apidocs|copy_ticks_range|fetch_data)/.test(url);
}

/** Counting collects all garbage first. */
function aliveNow(): Kept {
  return { objects: Number(queryObjects(Object, { format: 'count' })), bytes: process.memoryUsage().heapUsed };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
