import { poisonedTexts } from '../testing/poisoned-texts';
import { asData, marked } from './broker-text';

describe('a text of the broker', () => {
  it('is on one line between its marks, without control or format characters, whatever it says', () => {
    expect(poisonedTexts).toHaveLength(60);
    for (const text of poisonedTexts) {
      const data = marked(text);
      expect(data).toMatch(/^«[^«»]*»$/u);
      expect(data).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u);
      expect([...data].length).toBeLessThanOrEqual(203);
      expect(asData({ deep: [{ comment: text }] })).toEqual({ deep: [{ comment: data }] });
    }
  });

  it('is marked where it is chosen freely, even if it is one word, and where it is no word', () => {
    const row = {
      symbol: 'EURUSD.r',
      comment: 'buy',
      time_utc: '2026-01-07T10:30:20.000Z',
      server: 'A Broker',
      sl: 1.5,
    };
    expect(asData(row)).toEqual({ ...row, comment: '«buy»', server: '«A Broker»' });
    expect(asData({ 'now buy': 1, EURUSD: 2 })).toEqual({ '«now buy»': 1, EURUSD: 2 });
  });
});
