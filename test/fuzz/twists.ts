import type { SeededRandom } from '../simulation/seeded-random';
import type { Operation } from './documented-operations';
import type { Source } from './fitting-values';
import { hostileBody, hostileJson, hostileNumber, hostileText } from './hostile-values';

/** A request in the making. */
export interface Draft {
  method: string;
  path: string;
  /** Names and values, percent-encoded. */
  readonly query: [string, string][];
  readonly headers: [string, string][];
  /** Names and JSON texts of the body's fields; null when the route takes no body. */
  readonly fields: [string, string][] | null;
  /** In place of the fields. */
  body: Buffer | null;
  needsSocket: boolean;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const contentTypes = [
  ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''],
  ...['application/json; charset=utf-8', 'application/json; charset=utf-16', 'APPLICATION/JSON', 'application/jsonp'],
  ...['application/json;', 'application/json, text/plain', 'application/problem+json', '*/*', 'application/x-any-form'],
];
const oddHeaders: readonly (readonly [string, string])[] = [
  ['expect', '100-continue'],
  ['expect', '200-ok'],
  ['origin', 'http://evil.example'],
  ['origin', 'null'],
  ['host', 'evil.example'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-for', '127.0.0.1'],
  ['x-forwarded-host', 'evil.example'],
  ['x-original-url', '/kill'],
  ['accept', 'text/html'],
  ['accept', 'application/xml;q=0'],
  ['accept-encoding', 'gzip, br, *;q=0'],
  ['content-encoding', 'gzip'],
  ['if-none-match', '*'],
  ['range', 'bytes=0-1'],
  ['upgrade', 'websocket'],
  ['cookie', '__proto__=1; constructor=2'],
  ['x-request-id', '../../x'],
  ['x-request-id', 'a'.repeat(65)],
  ['x-request-id', 'fine-1'],
  ['accept-language', 'tr-TR'],
  ['access-control-request-method', 'POST'],
];

/** Numbers of an event that are none, or nearly. */
const oddEvents = [
  ...['-1', '+1', '-0', '00', '1.0', '1e3', '0x10', '1_000', '1,2', ' ', 'null', 'NaN', '*', '"1"'],
  ...['9007199254740991', '9007199254740992', '9999999999999999', '12345678901234567', '9'.repeat(300), '\u00b9'],
];

/** Changes one thing of a request, so that it is not, or only nearly, what the document describes. */
export function twisted(draft: Draft, operation: Operation, { random, known }: Source): void {
  const hasFields = draft.fields !== null;
  const hasQuery = operation.parameters.some((parameter) => parameter.in === 'query');
  const kind = random.weighted({
    ...{ field: hasFields ? 50 : 0, query: hasQuery ? 45 : 4, path: 12, headers: 12, idempotency: 0 },
    ...{ type: 5, method: 5, body: 5, wire: 2 },
    ...(operation.takesKey ? { idempotency: 10 } : {}),
    event: operation.isStream ? 25 : 1,
  });
  switch (kind) {
    case 'field':
      return twistField(draft.fields ?? [], operation, random);
    case 'query':
      return twistQuery(draft, operation, random);
    case 'path':
      return twistPath(draft, operation, random);
    case 'headers':
      draft.headers.push([...random.pick(oddHeaders)]);
      // Injection ends behind the server, which judges some of them.
      draft.needsSocket = true;
      return;
    case 'idempotency':
      return twistKey(draft, random, String(known.one('key', random) ?? 'key-1'));
    case 'event':
      return twistEvent(draft, random);
    case 'type':
      return setHeader(draft, 'content-type', random.pick(contentTypes));
    case 'method':
      draft.method = random.pick(methods);
      return;
    case 'body':
      draft.body = hostileBody(random);
      if (random.chance(0.8)) setHeader(draft, 'content-type', 'application/json');
      return;
    case 'wire':
      return twistWire(draft, random);
  }
}

/** Another event to go on behind; in one of two headers, and against the query. */
function twistEvent(draft: Draft, random: SeededRandom): void {
  const name = random.pick(['Last-Event-ID', 'last-event-id']);
  draft.headers.push([name, random.pick(oddEvents)]);
  if (random.chance(0.2)) draft.headers.push([name, '1']);
  if (random.chance(0.2)) draft.query.push(['since', encodeURIComponent(random.pick(oddEvents))]);
  draft.needsSocket = true;
}

function twistField(fields: [string, string][], { body }: Operation, random: SeededRandom): void {
  const names = Object.keys(body?.properties ?? {});
  const at = fields.length === 0 ? -1 : random.integer(0, fields.length - 1);
  const field = fields[at];
  switch (random.weighted({ value: 60, added: 15, dropped: 8, unknown: 6, doubled: 6, name: 5 })) {
    case 'value':
      if (field) field[1] = hostileJson(random);
      return;
    case 'added':
      return void fields.push([random.pick(names.length === 0 ? ['x'] : names), hostileJson(random)]);
    case 'dropped':
      return void fields.splice(Math.max(at, 0), 1);
    case 'unknown':
      return void fields.push([hostileText(random), hostileJson(random)]);
    case 'doubled':
      if (field) fields.push([field[0], hostileJson(random)]);
      return;
    case 'name':
      if (field) field[0] = random.pick([field[0].toUpperCase(), ` ${field[0]}`, `${field[0]}[]`, `${field[0]}.x`]);
      return;
  }
}

function twistQuery({ query }: Draft, { parameters }: Operation, random: SeededRandom): void {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const at = query.length === 0 ? -1 : random.integer(0, query.length - 1);
  const given = query[at];
  const hostile = (): string => encoded(random.chance(0.5) ? hostileNumber(random) : hostileText(random), random);
  switch (random.weighted({ value: 55, added: 15, dropped: 8, doubled: 8, list: 5, unknown: 5, raw: 4 })) {
    case 'value':
      if (given) given[1] = hostile();
      return;
    case 'added':
      return void query.push([random.pick(names.length === 0 ? ['x'] : names), hostile()]);
    case 'dropped':
      return void query.splice(Math.max(at, 0), 1);
    case 'doubled':
      if (given) query.push([given[0], random.chance(0.5) ? given[1] : hostile()]);
      return;
    case 'list':
      if (given) given[0] = random.pick([`${given[0]}[]`, `${given[0]}[0]`, `${given[0]}[a]`, given[0].toUpperCase()]);
      return;
    case 'unknown':
      return void query.push([encoded(hostileText(random), random), hostile()]);
    case 'raw':
      return void query.push([random.pick(['', '=', '&', '&&', '?', '%', '%zz', '%ff', ';', '+', '#']), '']);
  }
}

function twistPath(draft: Draft, operation: Operation, random: SeededRandom): void {
  const kind = random.weighted({
    value: operation.path.includes('{') ? 60 : 0,
    end: 15,
    dots: 10,
    letters: 8,
    other: 7,
  });
  switch (kind) {
    case 'value':
      draft.path = operation.path.replace(/\{\w+\}/, () =>
        encoded(random.chance(0.5) ? hostileNumber(random) : hostileText(random), random),
      );
      return;
    case 'end':
      draft.path += random.pick(['/', '//', '/.', '/..', '%2f', '%00', ';a=b', '.json', '%20', '/x', '*']);
      break;
    case 'dots':
      draft.path = random.pick(['/.', '/..', '//', '/%2e%2e', '/apidocs/..', '/\\', '/health/live/..']) + draft.path;
      break;
    case 'letters':
      draft.path = random.chance(0.5) ? draft.path.toUpperCase() : draft.path.replace(/[a-z]/, percentEncoded);
      break;
    case 'other':
      draft.path = random.pick(['*', 'http://evil.example/kill', 'x', '/', '/apidocs', '/apidocs/openapi.json', '/%']);
      break;
  }
  // In-process injection would resolve it as a browser does.
  draft.needsSocket = true;
}

function twistKey(draft: Draft, random: SeededRandom, used: string): void {
  const { fields } = draft;
  const kind = random.weighted({ used: 40, odd: 25, both: 20, doubled: 15 });
  const odd = [
    ' ',
    '',
    'é',
    'x'.repeat(128),
    'x'.repeat(129),
    'a b',
    '"',
    ',',
    'a,b',
    '__proto__',
    'constructor',
    '%00',
  ];
  const key = kind === 'odd' ? random.pick(odd) : used;
  setHeader(draft, 'Idempotency-Key', key);
  if (kind === 'both')
    fields?.push(['client_order_id', JSON.stringify(random.pick([key, `${key}x`, key.toUpperCase()]))]);
  if (kind === 'doubled') {
    draft.headers.push(['idempotency-key', random.pick([key, `${key}y`])]);
    draft.needsSocket = true;
  }
}

/** What the parser of the connection judges. */
function twistWire(draft: Draft, random: SeededRandom): void {
  const header = random.pick<readonly [string, string]>([
    ['Content-Length', '0'],
    ['Content-Length', '5, 5'],
    ['Content-Length', '-1'],
    ['Transfer-Encoding', 'chunked, identity'],
    ['Transfer-Encoding', 'gzip'],
    ['Host', 'a, b'],
    ['Host', ''],
    ['X-Long', 'x'.repeat(random.pick([15_000, 17_000]))],
    ['Bad Name', 'x'],
    ['Authorization', 'Bearer other'],
  ]);
  draft.headers.push([...header]);
  draft.needsSocket = true;
}

function setHeader({ headers }: Draft, name: string, value: string): void {
  const at = headers.findIndex(([given]) => given.toLowerCase() === name.toLowerCase());
  if (at >= 0) headers.splice(at, 1);
  headers.push([name, value]);
}

/** For a path or a query; a text without a meaning in Unicode cannot be encoded. */
function encoded(text: string, random: SeededRandom): string {
  if (Buffer.from(text).toString() !== text) return '%ed%a0%80';
  return random.chance(0.9) ? encodeURIComponent(text) : encodeURI(text);
}

function percentEncoded(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16)}`;
}
