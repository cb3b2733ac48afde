import { levelsOf, volumeOf } from './trade-fields';

const fields = (given: Readonly<Record<string, string>>) => new Map(Object.entries(given));

describe('the levels of the protect form', () => {
  it('are those that were entered; an empty field keeps its level', () => {
    expect(levelsOf(7, fields({ sl: ' 1.1725 ', tp: '' }))).toEqual({ ok: true, value: { position: 7, sl: 1.1725 } });
  });

  it('are removed only by a ticked box', () => {
    expect(levelsOf(7, fields({ sl: '', tp: '1.2', clear_sl: 'on' }))).toEqual({
      ...{ ok: true, value: { position: 7, clear_sl: true, tp: 1.2 } },
    });
  });

  it.each([
    [{ sl: '', tp: '' }, 'enter a level, or tick one to remove it'],
    [{ sl: '1.1', clear_sl: 'on' }, 'sl: either enter a level or remove it'],
    [{ sl: '0' }, 'sl must be a price above 0, such as 1.1725'],
    [{ tp: '-1' }, 'tp must be a price above 0, such as 1.1725'],
    [{ tp: '1,2' }, 'tp must be a price above 0, such as 1.1725'],
    [{ tp: '1e3' }, 'tp must be a price above 0, such as 1.1725'],
  ])('%j is refused', (given, problem) => {
    expect(levelsOf(7, fields(given))).toEqual({ ok: false, problem });
  });
});

describe('the volume of the close form', () => {
  it('is all of it if the field is empty, else the volume that was entered', () => {
    expect(volumeOf(fields({ volume: ' ' }))).toEqual({ ok: true, value: undefined });
    expect(volumeOf(fields({ volume: '0.05' }))).toEqual({ ok: true, value: 0.05 });
  });

  it.each(['0', 'all', '-0.1', '0.1 lots'])('"%s" is refused', (volume) => {
    expect(volumeOf(fields({ volume }))).toEqual({ ok: false, problem: 'volume must be a number of lots above 0' });
  });
});
