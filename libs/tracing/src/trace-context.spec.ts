import fc from 'fast-check';
import { parseTraceparent, traceNamed, traceparentOf } from './trace-context';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it('is read as W3C defines it', () => {
    const context = { traceId: trace, spanId: span, isSampled: true };
    expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual(context);
    expect(parseTraceparent(`00-${trace}-${span}-00`)).toEqual({ ...context, isSampled: false });
    expect(parseTraceparent(`00-${trace}-${span}-09`)).toEqual(context);
  });

  it('of a later version may have more fields', () => {
    expect(parseTraceparent(`cc-${trace}-${span}-01-what-comes-later`)).toMatchObject({ traceId: trace });
    expect(parseTraceparent(`cc-${trace}-${span}-01.x`)).toBeNull();
  });

  it.each<[string | string[] | undefined, string]>([
    [`00-${trace}-${span}-01-more`, 'more fields in version 00'],
    [`ff-${trace}-${span}-01`, 'the forbidden version'],
    [`00-${'0'.repeat(32)}-${span}-01`, 'an empty trace id'],
    [`00-${trace}-${'0'.repeat(16)}-01`, 'an empty span id'],
    [`00-${trace.toUpperCase()}-${span}-01`, 'capital letters'],
    [`00-${trace.slice(1)}-${span}-01`, 'a short trace id'],
    [` 00-${trace}-${span}-01`, 'a space'],
    [`cc-${trace}-${span}-01-${'x'.repeat(600)}`, 'too long a header'],
    ['', 'nothing'],
    [undefined, 'no header'],
    [[`00-${trace}-${span}-01`], 'two headers'],
  ])('is not read: %j (%s)', (header, _why) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  it('of a name is valid, always the same, and another one for another name', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const context = traceNamed(one);
        expect(parseTraceparent(traceparentOf(context))).toEqual(context);
        expect(traceNamed(one)).toEqual(context);
        expect(traceNamed(other).traceId === context.traceId).toBe(one === other);
      }),
    );
  });
});
