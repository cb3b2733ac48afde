import type { OpenAPIObject } from '@nestjs/swagger';
import { errorTypes, statusOfErrorType, type ErrorType } from '@libs/envelope';
import {
  accountFields,
  auditFields,
  barRowFields,
  cancelAnswerFields,
  cancelledItemFields,
  checkRowFields,
  closeAllResultFields,
  closeAnswerFields,
  closedItemFields,
  connectionFields,
  differenceFields,
  entryLimitFields,
  eventsPageFields,
  healthFields,
  journalFields,
  keyedDealRowFields,
  keyedOrderRowFields,
  killSwitchFileFields,
  lastErrorRowFields,
  levelsAnswerFields,
  mutationFields,
  nullable,
  orderAnswerFields,
  orderChangeFields,
  positionLegFields,
  positionRowFields,
  quoteRowFields,
  positionSummaryRowFields,
  readinessFields,
  sendResultRowFields,
  serverTimeFields,
  symbolListFields,
  symbolRowFields,
  tickRowFields,
  tradeEventFields,
  tradeEventSubjectFields,
  tradeRequestFields,
  unresolvedRequestFields,
  unresolvedSendFields,
  type Fields,
} from '@libs/records';
import * as records from '@libs/records';
import { gatewayDocument } from './gateway.docs';
import { DocumentedAnswers } from './testing/documented-answers';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from './testing/gateway-under-test';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: { readonly error_type?: ErrorType } }>>;
}
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema?: { readonly type?: string; readonly enum?: unknown };
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
  readonly 'x-route-facts'?: { readonly access: string; readonly idempotent: boolean };
}
interface Schema {
  readonly properties?: Readonly<Record<string, Record<string, unknown>>>;
}

interface NumberSchema {
  readonly type: string | readonly string[];
  readonly format?: string;
}

/** Every schema of a number in the document, with its path; a parameter or a header has its name there. */
function* numberSchemas(node: unknown, path = ''): Generator<[string, NumberSchema]> {
  if (typeof node !== 'object' || node === null) return;
  const { type, name, schema } = node as { type?: unknown; name?: unknown; schema?: unknown };
  if ([type].flat().some((word) => word === 'number' || word === 'integer')) yield [path, node as NumberSchema];
  if (typeof name === 'string' && schema !== undefined) {
    yield* numberSchemas(schema, `${path}/${name}`);
    return;
  }
  for (const [key, value] of Object.entries<unknown>({ ...node }))
    if (key !== 'example' && key !== 'examples') yield* numberSchemas(value, `${path}/${key}`);
}

/** The names that the declared records have for integers alone, and those of requests. */
const isFields = (value: unknown): value is Fields => {
  const fields: unknown[] = typeof value === 'object' && value !== null ? Object.values({ ...value }) : [];
  return fields.length > 0 && fields.every((field) => typeof field === 'object' && field !== null && 'type' in field);
};
const declared = Object.values<unknown>(records)
  .filter(isFields)
  .flatMap((fields) => Object.entries(fields));
const namesOf = (wanted: string): string[] => declared.filter(([, { type }]) => type === wanted).map(([name]) => name);
const integerNames: ReadonlySet<string> = new Set(
  [...namesOf('integer'), 'deviation', 'limit', 'since', 'num_bars', 'start_pos', 'total'].filter(
    (name) => !namesOf('number').includes(name),
  ),
);

const groups = ['order', 'position', 'data', 'history', 'symbol', 'account', 'control', 'health'];

describe('the documentation of the API', () => {
  let gateway: GatewayUnderTest;
  let document: OpenAPIObject;
  let operations: [string, Operation][];

  beforeAll(async () => {
    gateway = await gatewayUnderTest();
    // Without the key, because the docs are public.
    document = (await gateway.app.inject('/apidocs/openapi.json')).json();
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  it('has a format for each number, in every schema, parameter and header', () => {
    const bare = [...numberSchemas(document)].filter(
      ([, { type, format }]) => format !== ([type].flat().includes('integer') ? 'int64' : 'double'),
    );
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  it('has an integer wherever a member or parameter has the name of one', () => {
    const fractions = [...numberSchemas(document)].filter(
      ([path, { type }]) => [type].flat().includes('number') && integerNames.has(path.split('/').at(-1) ?? ''),
    );
    expect(fractions.map(([path]) => path)).toEqual([]);
    expect(integerNames.has('magic') && integerNames.has('deviation') && !integerNames.has('price')).toBe(true);
  });

  it('gives every parameter a type', () => {
    const untyped = operations.flatMap(([name, { parameters = [] }]) =>
      parameters
        .filter(({ schema }) => schema?.type === undefined && !schema?.enum)
        .map((one) => `${name} ${one.name}`),
    );
    expect(untyped).toEqual([]);
  });

  it('has one schema for each success, which needs no guard', () => {
    const unions = operations.filter(([, { responses }]) =>
      Object.values(responses['200']?.content ?? {}).some(({ schema }) =>
        /"(anyOf|oneOf)"/.test(JSON.stringify(schema)),
      ),
    );
    expect(unions.map(([name]) => name)).toEqual([]);
    const schemas = (document.components?.schemas ?? {}) as Record<string, Schema & { required?: string[] }>;
    expect(schemas.OrderResponse?.required).toEqual(['ok', 'message', 'client_order_id', 'result']);
    expect(schemas.OrderResponse?.properties?.original_response_expired).toMatchObject({ enum: [true] });
    expect(schemas.SendResultResponse?.required).toEqual(['order']);
    expect(schemas.ExpiredTradeResponse).toBeUndefined();
  });

  it('names operations by verb and object, so that no generated name is that of a schema', () => {
    const ids = operations.map(([, { operationId }]) => operationId ?? '');
    expect(ids.filter((id) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining(['placeOrder', 'closePosition', 'getHealth']));
    const generated = ids.flatMap((id) =>
      ['', 'Response', 'Params', 'JSONRequestBody', 'Res', 'OK', 'Req'].map((suffix) => `${id}${suffix}`.toLowerCase()),
    );
    const schemas = Object.keys(document.components?.schemas ?? {}).map((name) => name.toLowerCase());
    expect(schemas.filter((name) => generated.includes(name))).toEqual([]);
  });

  it('groups every route under a tag of the specification, with a summary and an id of its own', () => {
    const faulty = operations.filter(
      ([, { tags, summary }]) => tags?.length !== 1 || !groups.includes(tags[0] ?? '') || !summary,
    );
    expect(faulty.map(([name]) => name)).toEqual([]);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('requires the key on every route except the public ones', () => {
    const open = operations.filter(([, { security }]) => !security?.length).map(([name]) => name);
    expect(open).toEqual(['GET /health/live']);
    expect(document.paths['/health/live']?.get?.security).toEqual([]);
    for (const [, operation] of operations.filter(([, { security }]) => security?.length)) {
      expect(Object.keys(operation.responses)).toContain('401');
    }
  });

  it('describes the body of every success', () => {
    const undescribed = operations.filter(([, { responses }]) => {
      const content = (responses['200'] ?? responses['202'])?.content;
      return !content || Object.values(content).some((media) => !media.schema);
    });
    expect(undescribed.map(([name]) => name)).toEqual([]);
  });

  it('shows an example of each error under its status, and covers every error type', () => {
    const shown = new Set<ErrorType>();
    const misplaced: string[] = [];
    for (const [name, { responses }] of operations) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        const isDefault = status === 'default';
        const examples = Object.values(content?.['application/json']?.examples ?? {});
        if (examples.length === 0) misplaced.push(`${name} ${status}: no example`);
        for (const { value } of examples) {
          const type = value?.error_type;
          if (!type || (!isDefault && statusOfErrorType[type] !== Number(status)))
            misplaced.push(`${name} ${status}: ${type}`);
          else shown.add(type);
        }
      }
    }
    expect(misplaced).toEqual([]);
    expect([...shown].toSorted()).toEqual([...errorTypes].toSorted());
  });

  it('shows only examples of errors that fit their schemas', () => {
    const documented = new DocumentedAnswers(gatewayDocument(gateway.app));
    const problems = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const [method = '', path = ''] = name.split(' ');
        const examples = Object.values(content?.['application/json']?.examples ?? {});
        if (!(Number(status) >= 400)) return [];
        return examples.flatMap(({ value }) =>
          documented.problems({
            ...{ method, url: path.replace(/\{\w+\}/g, '1'), status: Number(status) },
            ...{ contentType: 'application/json', text: JSON.stringify(value) },
          }),
        );
      }),
    );
    expect(problems).toEqual([]);
  });

  it('documents the errors for a body that is too large or not JSON, on every route that reads one', () => {
    const reading = operations.filter(([name]) => /^(POST|PUT|DELETE) /.test(name) && !/ \/kill/.test(name));
    const without = reading.filter(([, { responses }]) => !('413' in responses && '415' in responses));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('gives every field of every schema an example or a reference', () => {
    const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>);
    const bare = schemas.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, property]) => !('example' in property || 'allOf' in property || '$ref' in property))
        .filter(
          ([, property]) =>
            !('items' in property || 'oneOf' in property || 'anyOf' in property || 'description' in property),
        )
        .map(([field]) => `${name}.${field}`),
    );
    expect(bare).toEqual([]);
  });

  it('documents every error as JSON, even for streams and metrics', () => {
    const others = operations.flatMap(([name, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .filter(([, { content }]) => Object.keys(content ?? {}).join() !== 'application/json')
        .map(([status]) => `${name} ${status}`),
    );
    expect(others).toEqual([]);
  });

  it('is OpenAPI 3.1, so that a null beside an enum or a reference is a type', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(JSON.stringify(document)).not.toContain('"nullable"');
    const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
    expect(schemas.OrderResponse?.properties?.fill_price_source).toMatchObject({
      anyOf: [{ type: 'string', enum: ['order_send', 'deal', 'position', 'unresolved'] }, { type: 'null' }],
    });
    expect(schemas.HealthResponse?.properties?.last_error).toEqual({
      anyOf: [{ $ref: '#/components/schemas/LastErrorFields' }, { type: 'null' }],
    });
  });

  it('documents tickets, magics and epochs as integers, and the null that a price may be', () => {
    const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
    const type = (schema: string, field: string): unknown => schemas[schema]?.properties?.[field]?.type;
    expect(type('KeyedDealRow', 'ticket')).toBe('integer');
    expect(type('PositionRow', 'magic')).toBe('integer');
    expect(type('KeyedOrderRow', 'time_done_msc')).toBe('integer');
    expect(type('OrderResponse', 'position')).toEqual(['integer', 'null']);
    expect(type('CalcMarginRequest', 'price')).toEqual(['number', 'null']);
  });

  it.each<[string, Fields]>([
    ['AccountResponse', accountFields],
    ['AuditFields', auditFields],
    ['BarRow', barRowFields],
    ['ConnectionFields', connectionFields],
    ['Difference', differenceFields],
    ['EntryLimitRow', entryLimitFields],
    ['JournalFields', journalFields],
    ['KeyedDealRow', keyedDealRowFields],
    ['KeyedOrderRow', keyedOrderRowFields],
    ['LastErrorResponse', lastErrorRowFields],
    ['OrderCheckResponse', checkRowFields],
    ['KillSwitchFileFields', killSwitchFileFields],
    ['PositionRow', positionRowFields],
    ['PositionLeg', positionLegFields],
    ['ServerTimeFields', serverTimeFields],
    ['UnresolvedSend', unresolvedSendFields],
    ['SendResultResponse', sendResultRowFields],
    ['SymbolInfoResponse', symbolRowFields],
    ['SymbolRow', symbolListFields],
    ['TickResponse', quoteRowFields],
    ['TickRow', tickRowFields],
  ])('documents %s as it is declared', (name, fields) => {
    expect(Object.keys(membersOf(name))).toEqual(Object.keys(fields));
    expectDeclared(name, fields);
  });

  it.each<[string, Fields]>([
    [
      'OrderCancelledResponse',
      { ...mutationFields, ...cancelAnswerFields, ticket: nullable(cancelAnswerFields.ticket) },
    ],
    ['CancelledItem', cancelledItemFields],
    ['CloseAllResult', closeAllResultFields],
    ['PositionClosedResponse', { ...mutationFields, ...closeAnswerFields }],
    ['ClosedItem', closedItemFields],
    ['HealthResponse', healthFields],
    ['ModifyLevelsResponse', { ...mutationFields, ...levelsAnswerFields }],
    ['OrderModifiedResponse', { ...mutationFields, ...orderChangeFields, ticket: nullable(orderChangeFields.ticket) }],
    ['OrderResponse', { ...mutationFields, ...orderAnswerFields }],
    ['PositionSummaryResponse', positionSummaryRowFields],
    ['ReadinessResponse', readinessFields],
    ['TradeEventResponse', { ...tradeEventFields, ...tradeEventSubjectFields }],
    ['EventsResponse', eventsPageFields],
    ['TradeRequestResponse', tradeRequestFields],
    ['UnresolvedRequest', unresolvedRequestFields],
  ])('documents the declared members of %s beside its nested ones', (name, fields) => expectDeclared(name, fields));

  function membersOf(name: string): Readonly<Record<string, Record<string, unknown>>> {
    const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
    const { ok, ...members } = schemas[name]?.properties ?? {};
    expect(ok ?? { enum: [true] }).toMatchObject({ enum: [true] });
    return members;
  }

  function expectDeclared(name: string, fields: Fields): void {
    const members = membersOf(name);
    const documents = ({ example, description, type, anyOf }: Record<string, unknown>) => {
      const types = JSON.stringify([type, anyOf]);
      return { example, description, mayBeNull: types.includes('"null"'), types };
    };
    for (const [member, { type, nullable, example, description }] of Object.entries(fields)) {
      expect({ member, ...documents(members[member] ?? {}) }).toEqual({
        ...{ member, example, description: description ?? undefined, mayBeNull: nullable },
        types: expect.stringContaining(`"${type}"`),
      });
    }
  }

  it('documents the idempotency key on every route that accepts one', () => {
    const without = operations.filter(
      ([, operation]) =>
        operation['x-route-facts']?.idempotent && !JSON.stringify(operation).includes('"Idempotency-Key"'),
    );
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('names the server as in the request, under DOCS_SCHEME', async () => {
    const asked = async (host: string): Promise<unknown> =>
      (await gateway.app.inject({ url: '/apidocs/openapi.json', headers: { host } })).json().servers;
    expect(await asked('gateway.example:5001')).toMatchObject([{}, { url: 'http://gateway.example:5001' }]);
    expect(await asked('evil"><script>')).toMatchObject([{}, { url: '/' }]);
  });

  it('names the server first by the address of the document, for clients behind a path prefix', () => {
    const [server] = document.servers ?? [];
    expect(new URL(server?.url ?? '', 'https://proxy.example/mt5/apidocs/openapi.json').href).toBe(
      'https://proxy.example/mt5/',
    );
  });

  it('is linked from its page, which has the width of a phone', async () => {
    const { body, headers } = await gateway.app.inject('/apidocs');
    expect(headers['content-type']).toContain('text/html');
    expect(body).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(body).toContain('href="apidocs/openapi.json"');
    expect((await gateway.app.inject('/apidocs/swagger-ui-init.js')).body).toContain(
      '"swaggerUrl": "apidocs/openapi.json"',
    );
  });

  it('is rendered once, and answered with 304 to a client that has it', async () => {
    for (const page of ['openapi.json', 'openapi.yaml', 'swagger-ui-init.js']) {
      const { headers, body } = await gateway.app.inject(`/apidocs/${page}`);
      expect([page, body.includes('server.invalid'), body.includes('http://localhost')]).toEqual([page, false, true]);
      const again = await gateway.app.inject({ url: `/apidocs/${page}`, headers: { 'if-none-match': headers.etag } });
      expect([page, again.statusCode, again.body]).toEqual([page, 304, '']);
    }
  });

  it('has the version of the package', () => {
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
