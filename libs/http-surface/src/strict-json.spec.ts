import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { ApiError } from '@libs/envelope';
import { jsonErrorAt, placeOf } from './json-error';
import { parseStrictJson } from './strict-json';

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

function problemsOf(bytes: Buffer | string): unknown {
  try {
    parseStrictJson(Buffer.from(bytes));
  } catch (error) {
    if (error instanceof ApiError && error.errorType === 'validation_error') return error.details;
    throw error;
  }
  return 'accepted';
}

describe('a JSON body', () => {
  it.each([
    ['a key given twice', '{"volume":0.01,"volume":50}', 'volume', 'is given more than once'],
    ['a key given twice below', '{"a":[{"b":1},{"c":{"d":1,"d":1}}]}', 'a.1.c.d', 'is given more than once'],
    ['a key given twice in another spelling', '{"volume":1,"\\u0076olume":50}', 'volume', 'is given more than once'],
    ['__proto__', '{"symbol":"X","__proto__":{}}', '__proto__', 'field __proto__ is not allowed'],
    ['__proto__ by an escape', '{"\\u005f_proto__":1}', '__proto__', 'field __proto__ is not allowed'],
    ['constructor', '{"constructor":1}', 'constructor', 'unknown field'],
    ['toString', '{"leg":{"toString":1}}', 'leg.toString', 'unknown field'],
    ['hasOwnProperty', '{"hasOwnProperty":null}', 'hasOwnProperty', 'unknown field'],
    ['broken JSON', '{"symbol":', 'body', 'is not valid JSON at line 1, column 11'],
    ['two values', '{} {}', 'body', 'is not valid JSON at line 1, column 4'],
    ['a comma too many', '{"a": [1,\n2,]}', 'body', 'is not valid JSON at line 2, column 3'],
    ['a single quote', "{'a': 1}", 'body', 'is not valid JSON at line 1, column 2'],
    ['a text without an end', '{"a": "b}', 'body', 'is not valid JSON at line 1, column 7'],
    ['a bare word', 'NaN', 'body', 'is not valid JSON at line 1, column 1'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'body', 'is nested more than 32 levels deep'],
    ['100,000 levels without an end', '{"a":'.repeat(100_000), 'body', 'is nested more than 32 levels deep'],
  ])('with %s is rejected by name', (_case, text, field, problem) => {
    expect(problemsOf(text)).toEqual([{ field, problem }]);
  });

  it('that is not UTF-8 is rejected as such', () => {
    const bytes = Buffer.concat([Buffer.from('{"symbol":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect(problemsOf(bytes)).toEqual([{ field: 'body', problem: 'is not valid UTF-8' }]);
  });

  it('may start with a byte order mark', () => {
    expect(parse('\ufeff{"symbol":"X"}')).toEqual({ symbol: 'X' });
  });

  it('may be 32 levels deep, and have brackets and quotes in its texts', () => {
    const deep = '['.repeat(32) + ']'.repeat(32);
    expect(parse(deep)).toEqual(JSON.parse(deep));
    const text = JSON.stringify({ note: '[[[[{{{"\\"":,'.repeat(20), 'a"b\\': 1, 'a"b': 2 });
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('of any other kind is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.nat(8), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        const own =
          /"(__proto__|constructor|toString|toLocaleString|valueOf|hasOwnProperty|__\w+__|isPrototypeOf|propertyIsEnumerable)":/;
        return own.test(spaced) || isDeepStrictEqual(parse(spaced), JSON.parse(spaced));
      }),
    );
  });

  it('of arbitrary bytes is parsed or rejected as a bad request, never anything else', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\\u00',
      '1',
      '-',
      'null',
      ' ',
      'a',
      '\u{1f600}',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const outcome = problemsOf(text);
        return (
          parsesAsJson(text) ||
          isDeepStrictEqual(outcome, [
            { field: 'body', problem: `is not valid JSON at ${placeOf(text, jsonErrorAt(text))}` },
          ])
        );
      }),
      { numRuns: 2_000 },
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void problemsOf(Buffer.from(bytes))));
  });
});

function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
