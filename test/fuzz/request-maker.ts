import { SeededRandom } from '../simulation/seeded-random';
import type { Operation, Parameter } from './documented-operations';
import { fittingBody, fittingValue, type Source } from './fitting-values';
import { headerOf, type Credential, type FuzzRequest } from './fuzz-request';
import { hostileBody } from './hostile-values';
import type { KnownThings } from './known-things';
import { twisted, type Draft } from './twists';

/** What the maker has of the program that it makes requests for. */
export interface Target {
  readonly operations: readonly Operation[];
  readonly known: KnownThings;
  readonly key: string;
  /** Virtual wall time, in epoch milliseconds. */
  nowMs(): number;
}

/** Halts are rare: everything behind the kill switch would be rejected. */
const rare = ['/kill', '/journal/accept'];
const trading = ['/order', '/orders/{ticket}', '/modify_sl_tp', '/close_position', '/position_close_partial'];
const mostRepeatable = 60;

/**
 * Makes the requests of a run. A request depends on the seed, its number and what earlier answers have named, so a seed gives
 * the same run on the same product.
 */
export class RequestMaker {
  private readonly repeatable: FuzzRequest[] = [];
  private readonly weighted: readonly Operation[];
  private isReleaseDue = false;

  constructor(
    private readonly seed: number,
    private readonly target: Target,
  ) {
    this.weighted = target.operations.flatMap((operation) => Array<Operation>(weightOf(operation)).fill(operation));
  }

  /** The request with a number, from 1. */
  make(number: number): FuzzRequest {
    const random = new SeededRandom(`fuzz ${this.seed}/${number}`);
    const request = this.isReleaseDue ? this.release(number) : this.oneOf(number, random);
    this.isReleaseDue = request.method === 'POST' && /^\/kill(?:[/?]|$)/.test(request.url) && number % 2 === 0;
    if (headerOf(request, 'idempotency-key') !== undefined) {
      this.repeatable.push(request);
      if (this.repeatable.length > mostRepeatable) this.repeatable.shift();
    }
    return request;
  }

  private release(number: number): FuzzRequest {
    const headers = [['authorization', `Bearer ${this.target.key}`]] as const;
    const rest = { body: null, credential: 'right', way: 'inject', waitMs: 0, copies: 1 } as const;
    return { number, method: 'POST', url: '/kill/release', headers, ...rest };
  }

  private oneOf(number: number, random: SeededRandom): FuzzRequest {
    if (this.repeatable.length > 0 && random.chance(0.08)) return { ...random.pick(this.repeatable), number };
    const source: Source = { random, known: this.target.known, nowMs: this.target.nowMs() };
    const operation = random.pick(this.weighted);
    const draft = this.fitting(operation, source);
    const twists = random.weighted({ 0: 55, 1: 30, 2: 10, 5: 5 });
    for (let twist = 0; twist < Number(twists); twist++) twisted(draft, operation, source);
    const credential = random.weighted<Credential>({ right: 90, missing: 5, wrong: 5 });
    const body = draft.body ?? (draft.fields === null ? null : Buffer.from(jsonText(draft.fields)));
    return {
      number,
      method: draft.method,
      url: `${draft.path}${draft.query.length === 0 ? '' : `?${draft.query.map(([name, value]) => `${name}=${value}`).join('&')}`}`,
      headers: [...this.credentials(credential, random), ...draft.headers],
      body: body !== null && random.chance(0.02) ? hostileBody(random) : body,
      credential,
      way: draft.needsSocket || operation.isStream || draft.method === 'OPTIONS' ? 'socket' : 'inject',
      waitMs: waitMs(random),
      copies: operation.takesKey && random.chance(0.1) ? 2 : 1,
    };
  }

  /** A request as the document describes it. */
  private fitting(operation: Operation, source: Source): Draft {
    const { random } = source;
    const values = operation.parameters
      .filter(({ required }) => required || random.chance(0.35))
      .map((parameter) => ({ parameter, value: String(fittingValue(parameter.name, parameter.schema, source)) }));
    const within = (place: Parameter['in']) => values.filter(({ parameter }) => parameter.in === place);
    const path = within('path').reduce(
      (text, { parameter, value }) => text.replace(`{${parameter.name}}`, encodeURIComponent(value)),
      operation.path,
    );
    const fields =
      operation.body === null
        ? null
        : Object.entries(fittingBody(operation.body, source)).map(([n, v]) => [n, JSON.stringify(v)]);
    return {
      method: operation.method,
      path,
      query: within('query').map(({ parameter, value }) => [parameter.name, encodeURIComponent(value)]),
      headers: [
        ...within('header').map(({ parameter, value }) => [parameter.name, value] as [string, string]),
        ...(fields === null ? [] : [['content-type', 'application/json'] as [string, string]]),
      ],
      fields: fields as [string, string][] | null,
      body: null,
      needsSocket: false,
    };
  }

  private credentials(credential: Credential, random: SeededRandom): readonly (readonly [string, string])[] {
    const { key } = this.target;
    switch (credential) {
      case 'right':
        return [['authorization', `${random.chance(0.9) ? 'Bearer' : 'bearer'} ${key}`]];
      case 'missing':
        return [];
      case 'wrong':
        return [['authorization', random.pick(wrongCredentials(key))]];
    }
  }
}

function weightOf({ path, takesKey }: Operation): number {
  if (rare.includes(path)) return 1;
  if (path === '/order') return 24;
  return trading.includes(path) ? 12 : takesKey ? 6 : 5;
}

function waitMs(random: SeededRandom): number {
  const kind = random.weighted({ none: 760, short: 200, seconds: 38, minute: 2 });
  return { none: 0, short: random.integer(1, 50), seconds: random.integer(500, 5_000), minute: 60_000 }[kind];
}

function jsonText(fields: readonly (readonly [string, string])[]): string {
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

/** Headers that resemble the right one and are not. */
function wrongCredentials(key: string): readonly string[] {
  return [
    ...[`Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`, `Bearer ${key.toUpperCase()}`, `Bearer  ${key}`, 'Bearer'],
    ...['Bearer ', `Basic ${key}`, key, `Token ${key}`, `Bearer ${key},Bearer ${key}`, `Bearer\t${key}`, ''],
    ...[`Bearer "${key}"`, 'Bearer null', 'Bearer undefined', `Basic ${Buffer.from(`:${key}`).toString('base64')}`],
    ...[`Bearer ${'x'.repeat(5_000)}`, 'Bearer \u00e9'],
  ];
}
