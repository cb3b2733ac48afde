import { errorTypes } from '@libs/envelope';
import { jsonOf, memberOf, parsedJson, pathOf, type FuzzAnswer, type FuzzRequest } from './fuzz-request';
import { routedUrl } from './routed-url';
import type { Observation, Subject } from './subject';

/** A promise that an answer broke. */
export interface Fault {
  readonly rule: Rule;
  readonly what: string;
}

type Rule = keyof typeof rules;
type Judgement = (seen: Observation, subject: Subject, memory: Memory) => readonly string[];

/** What earlier requests of the run did under a key. */
interface Memory {
  readonly doneByKey: Map<string, Set<string>>;
  readonly successByKey: Map<string, string>;
}

/** Every rule, with what it says of one request: nothing, when it is kept. */
const rules = {
  'every request is answered': ({ request, answers }) =>
    answers.includes(null) && !endsBadly(request) ? ['the connection was closed without an answer'] : [],
  'nothing fails': (seen) => each(seen, (answer) => (isFailure(seen.request, answer) ? shown(answer) : null)),
  'the documentation describes every answer': (seen, subject) =>
    seen.answers.flatMap((answer) => (answer ? subject.undocumented(seen.request, answer) : [])),
  'every error is in the envelope': (seen) => each(seen, (answer) => outsideEnvelope(seen.request, answer)),
  'every event of a stream is whole': (seen) => each(seen, brokenEvent),
  'a protected route requires the key': (seen, subject) =>
    each(seen, (answer) => (isBypass(seen.request, answer, subject) ? shown(answer) : null)),
  'a rejected request changes nothing': rejectedChange,
  'a key has one order': secondOrder,
  'a repeated request gets the same answer': otherReplay,
} as const satisfies Record<string, Judgement>;

/** Judges the requests of one run, one after the other. */
export class Judge {
  private readonly memory: Memory = { doneByKey: new Map(), successByKey: new Map() };

  constructor(private readonly subject: Subject) {}

  faults(seen: Observation): readonly Fault[] {
    return (Object.entries(rules) as [Rule, Judgement][]).flatMap(([rule, judge]) =>
      judge(seen, this.subject, this.memory).map((what) => ({ rule, what })),
    );
  }
}

/**
 * The parser rejects it after the headers: a stream that has begun by then cannot be answered in another way, and its
 * connection is closed.
 */
function endsBadly({ headers }: FuzzRequest): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'transfer-encoding' && value !== 'chunked');
}

/** The path as the router takes it. */
function routeOf(request: FuzzRequest): string {
  return routedUrl(pathOf(request));
}

function each({ answers }: Observation, judge: (answer: FuzzAnswer) => string | null): readonly string[] {
  return answers.flatMap((answer) => (answer === null ? [] : [judge(answer)])).filter((what) => what !== null);
}

/** Nothing fails in the world of a run, so neither may the program. While halted, it is not ready. */
function isFailure(request: FuzzRequest, { status }: FuzzAnswer): boolean {
  return status >= 500 && !(status === 503 && routeOf(request).endsWith('/health/ready'));
}

function outsideEnvelope({ method, way }: FuzzRequest, { status, headers, text }: FuzzAnswer): string | null {
  const id = headers['x-request-id'];
  if (id === undefined) return `${status} has no X-Request-ID`;
  if (status < 400) return null;
  // Injection shows the body that a server leaves out.
  if (method === 'HEAD')
    return text === '' || way === 'inject' || isOfParser(text)
      ? null
      : `${status} to HEAD has a body: ${text.slice(0, 200)}`;
  const body = parsedJson(text);
  const type = memberOf(body, 'error_type');
  const isEnvelope =
    headers['content-type']?.startsWith('application/json') === true &&
    memberOf(body, 'ok') === false &&
    typeof memberOf(body, 'error') === 'string' &&
    errorTypes.some((known) => known === type) &&
    memberOf(body, 'request_id') === id;
  return isEnvelope ? null : `${status} is not the error envelope: ${text.slice(0, 300)}`;
}

/** Comments apart, an event has its fields once each, and JSON as its data. The last one may be cut. */
function brokenEvent({ status, headers, text }: FuzzAnswer): string | null {
  if (status !== 200 || headers['content-type']?.startsWith('text/event-stream') !== true) return null;
  const events = text.split('\n\n').slice(0, -1);
  const broken = events.find((event) => !isWhole(event.split('\n').filter((line) => !line.startsWith(':'))));
  return broken === undefined ? null : `the stream has the event ${broken.slice(0, 300)}`;
}

function isWhole(lines: readonly string[]): boolean {
  const fields = new Map(lines.map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1).trim()]));
  const isKnown = [...fields.keys()].every((name) => ['id', 'event', 'data', 'retry'].includes(name ?? ''));
  const data = fields.get('data');
  return isKnown && fields.size === lines.length && (data === undefined || parsedJson(data) !== undefined);
}

/** A connection whose parser has given up ends with the envelope, whatever the method was. */
function isOfParser(text: string): boolean {
  return text.includes('"field":"request"') || text.includes('"headers_too_large"');
}

/** Anything but a rejection counts, on every path that is not public. */
function isBypass(request: FuzzRequest, { status }: FuzzAnswer, { operations }: Subject): boolean {
  if (request.credential === 'right' || request.method === 'OPTIONS' || status >= 400) return false;
  const path = routeOf(request);
  const isDocs = path === '/apidocs' || path.startsWith('/apidocs/');
  return !isDocs && !operations.some((operation) => operation.isPublic && operation.path === path);
}

/** A definite rejection. 409 and 5xx leave open what became of the request. */
function isRejection({ status }: FuzzAnswer): boolean {
  return status >= 400 && status < 500 && status !== 409;
}

function rejectedChange({ request, answers, changes, sends }: Observation): readonly string[] {
  if (!answers.every((answer) => answer !== null && isRejection(answer))) return [];
  const done = sends.filter(({ isDone }) => isDone).map(({ intentId }) => `the broker executed ${intentId}`);
  // An emergency stop with the key halts first and reports the form of the request afterwards.
  const isStop = routeOf(request) === '/kill' && request.method === 'POST' && request.credential === 'right';
  return [
    ...done,
    ...changes.filter((name) => !(isStop && name === 'the kill switch')).map((name) => `changed: ${name}`),
  ];
}

/** The key that a request is executed under; null when it names none, or several. */
function keyOf(request: FuzzRequest): string | null {
  const inHeaders = request.headers
    .filter(([name]) => name.toLowerCase() === 'idempotency-key')
    .map(([, value]) => value);
  const inBody = memberOf(jsonOf(request), 'client_order_id');
  const keys = new Set([...inHeaders, ...(typeof inBody === 'string' ? [inBody] : [])]);
  const [key] = keys;
  return keys.size === 1 && key !== undefined ? key : null;
}

/** The route is one of those that take an idempotency key; other routes ignore it. */
function takesKey(request: FuzzRequest, { operations }: Subject): boolean {
  const path = routeOf(request);
  return operations.some(
    (operation) =>
      operation.takesKey &&
      operation.method === request.method &&
      new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

function secondOrder({ request, sends }: Observation, _subject: Subject, { doneByKey }: Memory): readonly string[] {
  const key = keyOf(request);
  const done = sends.filter(({ isDone }) => isDone);
  if (key === null || done.length === 0) return [];
  const earlier = doneByKey.get(key) ?? new Set();
  doneByKey.set(key, earlier);
  // Closing all positions is one send for each of them.
  const isForAll = routeOf(request) === '/close_all_positions';
  return done.flatMap(({ request: { position, order, action }, intentId }) => {
    const what = isForAll ? `${action} ${position} ${order}` : 'the one order';
    const isSecond = earlier.has(what) || (!isForAll && earlier.size > 0);
    earlier.add(what);
    return isSecond ? [`the broker executed ${intentId} under the key ${JSON.stringify(key)} again`] : [];
  });
}

function otherReplay(seen: Observation, subject: Subject, { successByKey }: Memory): readonly string[] {
  const { request, answers } = seen;
  const key = keyOf(request);
  if (key === null || !takesKey(request, subject)) return [];
  return answers.flatMap((answer) => {
    if (answer?.status !== 200) return [];
    if (answer.headers['idempotent-replayed'] === undefined && !successByKey.has(key)) {
      successByKey.set(key, answer.text);
      return [];
    }
    const first = successByKey.get(key);
    return first === undefined || first === answer.text
      ? []
      : [`first ${first.slice(0, 300)}, then ${answer.text.slice(0, 300)}`];
  });
}

function shown({ status, text }: FuzzAnswer): string {
  return `${status}: ${text.slice(0, 300)}`;
}
