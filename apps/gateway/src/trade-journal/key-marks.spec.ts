import fc from 'fast-check';
import { fingerprintOf } from '../http/fingerprint';
import { magicOfKey, tagOfKey, tagPattern } from './key-marks';

describe('what is derived from a key', () => {
  const keys = fc.string({ minLength: 1, maxLength: 128 });
  it('is a magic of 31 bits that is never 0, and a tag the terminal takes', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const magic = magicOfKey(key);
        return Number.isInteger(magic) && magic > 0 && magic <= 2_147_483_647 && tagPattern.test(tagOfKey(key));
      }),
    );
  });

  it('is a fingerprint that ignores the order of fields and the key itself, and nothing else', () => {
    const print = (body: unknown) => fingerprintOf('POST', '/order', body);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const backwards = Object.fromEntries(Object.entries(body).reverse());
        return print(body) === print({ ...backwards, client_order_id: 'x' }) || 'client_order_id' in body;
      }),
    );
    expect(print({ volume: 0.1 })).not.toBe(print({ volume: 0.2 }));
    expect(print({ volume: 0.1 })).not.toBe(fingerprintOf('POST', '/order_check', { volume: 0.1 }));
    expect(print(undefined)).toBe(print({}));
  });
});
