import fc from 'fast-check';
import { errorLine, parseMessage, requestLine, resultLine } from './link-protocol';

describe('the messages of the link', () => {
  it('are parsed as they were written', () => {
    fc.assert(
      fc.property(fc.nat(), fc.string(), fc.array(fc.jsonValue()), (id, method, params) => {
        expect(parseMessage(requestLine(id, method, params))).toEqual({
          ...{ type: 'request', id, method },
          params: JSON.parse(JSON.stringify(params)) as unknown,
        });
      }),
    );
    expect(parseMessage(errorLine(7, 'busy', { code: -1, message: 'full' }))).toEqual({
      ...{ type: 'answer', id: 7 },
      outcome: { error: { code: -1, message: 'full', data: { kind: 'busy' } } },
    });
  });

  it('contain typed columns as plain arrays, and undefined as null', () => {
    expect(parseMessage(resultLine(1, { time: Float64Array.of(1, 2.5), flags: Uint32Array.of(3) }))).toMatchObject({
      outcome: { result: { time: [1, 2.5], flags: [3] } },
    });
    expect(parseMessage(resultLine(1, undefined))).toMatchObject({ outcome: { result: null } });
  });

  it('exclude any other text, which never breaks the reader', () => {
    const nearly = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null), fc.boolean()),
        method: fc.oneof(fc.string(), fc.integer()),
        result: fc.jsonValue(),
        error: fc.oneof(fc.jsonValue(), fc.record({ code: fc.jsonValue(), message: fc.jsonValue() })),
      },
      { requiredKeys: [] },
    );
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      nearly.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const message = parseMessage(text);
        const id = message === null || message.type === 'notification' ? null : message.id;
        expect(id === null || Number.isSafeInteger(id)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    for (const text of ['', '{', '[]', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":1.5,"method":"x"}']) {
      expect(parseMessage(text)).toBeNull();
    }
  });
});
