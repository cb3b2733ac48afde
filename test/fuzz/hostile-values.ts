import type { SeededRandom } from '../simulation/seeded-random';

/** Numbers as JSON text: `JSON.stringify` cannot write some of them. */
const numbers = [
  ...['0', '-0', '1', '-1', '0.1', '-0.01', '0.005', '1.5', '1e-7', '1e-320', '5e-324', '1e300', '-1e300', '1e400'],
  ...['-1e999', '0.1000000000000000055511151231257827', '1.00000000000000000000000001', '99999999999999999999999999'],
  ...['127', '128', '255', '256', '32767', '65535', '65536', '2147483647', '2147483648', '-2147483648'],
  ...['4294967295', '4294967296', '9007199254740991', '9007199254740992', '9223372036854775807'],
  ...['9223372036854775808', '18446744073709551615', '8640000000000000', '8640000000000001', '253402300800'],
];
/** No JSON, although some parsers take it. */
const noNumbers = ['NaN', 'Infinity', '-Infinity', '+1', '01', '1.', '.5', '0x10', '1_000', '1e', "'1'", 'undefined'];
const strings = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\u0000',
    'a\u0000b',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u202e',
  ],
  ...[
    '\ud800',
    '\udfff\ud800',
    '😀',
    'é',
    'e\u0301',
    'ſ',
    'K',
    'İ',
    'ß',
    '０',
    '١',
    '𝟙',
    'Ⅷ',
    '\u200b1',
    'ＥＵＲＵＳＤ',
  ],
  ...[
    'null',
    'undefined',
    'true',
    'false',
    'NaN',
    'Infinity',
    '-0',
    '1e3',
    '0x1F',
    '1,5',
    '1 ',
    ' 1',
    '+1',
    '01',
    '1n',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '[object Object]', '$where', '{{7*7}}'],
  ...["' OR '1'='1", '"; DROP TABLE orders;--', '<script>alert(1)</script>', '../../etc/passwd', '%00', '%2e%2e%2f'],
  ...['${jndi:ldap://x}', '`id`', '$(id)', '|id', '*', '**', '!*', '*EUR*,!*CHF*', ',', ',,', '!', '?', '[', '(', '\\'],
  ...['2026-02-30T00:00:00Z', '2026-01-01', '0000-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '9999-12-31T23:59:60Z'],
  ...['2026-01-01T00:00:00+99:99', '1970-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', 'Z', 'now', '20260101T000000Z'],
];

/** A text that a field does not expect; some are as long as the bounds of fields and paths, or one longer. */
export function hostileText(random: SeededRandom): string {
  if (random.chance(0.8)) return random.pick(strings);
  const length = random.pick([31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 511, 513, 2_000]);
  return random.pick(['a', '9', 'é', '😀', '*', '%', '\u0000', '"']).repeat(length).slice(0, length);
}

/** A value as JSON text, or as text that is nearly JSON. */
export function hostileJson(random: SeededRandom): string {
  const kind = random.weighted({ number: 40, text: 25, other: 20, nested: 8, broken: 7 });
  switch (kind) {
    case 'number':
      return random.pick(numbers);
    case 'text':
      return JSON.stringify(hostileText(random));
    case 'other':
      return random.pick(['null', 'true', 'false', '{}', '[]', '[[]]', '[null]', '{"ticket":1}', '{"a":{"b":[]}}']);
    case 'nested':
      return nested(random);
    case 'broken':
      return random.pick(noNumbers);
  }
}

/** Around the bound of 32 levels, and far above it; with and without its end. */
function nested(random: SeededRandom): string {
  const levels = random.pick([2, 30, 31, 32, 33, 1_000, 10_000]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  return `${open.repeat(levels)}1${random.chance(0.7) ? close.repeat(levels) : ''}`;
}

/** A number as text, for places without JSON. */
export function hostileNumber(random: SeededRandom): string {
  return random.pick(random.chance(0.8) ? numbers : noNumbers);
}

/** A whole body that is not what the route takes. */
export function hostileBody(random: SeededRandom): Buffer {
  const kind = random.weighted({ json: 30, bytes: 10, large: 3, text: 10, encoding: 6, doubled: 10, reserved: 10 });
  switch (kind) {
    case 'json':
      return Buffer.from(hostileJson(random));
    case 'bytes':
      return random.bytes(random.integer(1, 64));
    case 'large':
      // Around the limit of 64 KiB.
      return Buffer.from(`{"comment":"${'x'.repeat(random.pick([65_000, 65_522, 65_523, 65_600, 200_000]))}"}`);
    case 'text':
      return Buffer.from(
        random.pick(['{', '}', '{}{}', '{"a"}', '{a:1}', "{'a':1}", '[1,]', '{"a":1,}', '//x', '<a/>', 'a=1&b=2', ' ']),
      );
    case 'encoding':
      return random.pick([
        Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
        Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{}')]),
        Buffer.from([0x22, 0xc0, 0x80, 0x22]),
        Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      ]);
    case 'doubled':
      return Buffer.from('{"symbol":"EURUSD","volume":0.01,"type":"BUY","volume":1}');
    case 'reserved':
      return Buffer.from(`{"${random.pick(['__proto__', 'constructor', 'toString', '\\u005f_proto__'])}":{"ok":true}}`);
  }
}
