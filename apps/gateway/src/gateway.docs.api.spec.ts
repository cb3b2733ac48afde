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
  orderAnswerFields,
  orderChangeFields,
  positionRowFields,
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
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
  readonly 'x-route-facts'?: { readonly access: string; readonly idempotent: boolean };
}
interface Schema {
  readonly properties?: Readonly<Record<string, Record<string, unknown>>>;
}

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
      const content = responses['200']?.content;
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
    ['PositionSummaryResponse', positionSummaryRowFields],
    ['ServerTimeFields', serverTimeFields],
    ['UnresolvedSend', unresolvedSendFields],
    ['SendResultResponse', sendResultRowFields],
    ['SymbolInfoResponse', symbolRowFields],
    ['SymbolRow', symbolListFields],
    ['TickResponse', tickRowFields],
    ['TickRow', tickRowFields],
  ])('documents %s as it is declared', (name, fields) => {
    expect(Object.keys(membersOf(name))).toEqual(Object.keys(fields));
    expectDeclared(name, fields);
  });

  it.each<[string, Fields]>([
    ['CancelOrderResponse', { ...mutationFields, ...cancelAnswerFields }],
    ['CancelledItem', cancelledItemFields],
    ['CloseAllResult', closeAllResultFields],
    ['ClosePositionResponse', { ...mutationFields, ...closeAnswerFields }],
    ['ClosedItem', closedItemFields],
    ['HealthResponse', healthFields],
    ['ModifyLevelsResponse', { ...mutationFields, ...levelsAnswerFields }],
    ['ModifyOrderResponse', { ...mutationFields, ...orderChangeFields }],
    ['OrderResponse', { ...mutationFields, ...orderAnswerFields }],
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
    expect(await asked('gateway.example:5001')).toEqual([{ url: 'http://gateway.example:5001' }]);
    expect(await asked('evil"><script>')).toEqual([{ url: '/' }]);
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
