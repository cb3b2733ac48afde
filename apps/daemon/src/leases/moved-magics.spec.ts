import { fileOf } from '../testing/memory-fleet';
import { movedMagics } from './units';

const trend = { name: 'trend', magic: 1 };
const renamed = { name: 'trend2', magic: 1 };
const mean = { name: 'mean', magic: 2 };

describe('a configuration that moves magic numbers to other units', () => {
  it('is refused while the unit that has them runs, and not once it has none', () => {
    const problem = 'trend2 would take magic 1 on demo from trend, which runs: apply a version without trend first';
    const problems = (...held: string[]) => movedMagics(fileOf(trend, mean), fileOf(renamed, mean), new Set(held));
    expect(problems('trend', 'mean')).toEqual([problem]);
    expect(problems('mean')).toEqual([]);
  });

  it('is refused while a unit that was removed before still runs, if it takes any magic number', () => {
    const problem =
      'trend2 may take magic 1 on demo from trend, which was removed and still runs: wait until daemon hosts shows it without a host';
    expect(movedMagics(fileOf(mean), fileOf(renamed, mean), new Set(['trend', 'mean']))).toEqual([problem]);
    expect(movedMagics(fileOf(mean), fileOf({ ...mean, capital: 1 }), new Set(['trend']))).toEqual([]);
  });

  it('is refused when a strategy moves into a portfolio, or out of it', () => {
    const child = { name: 'book/trend', magic: 1, portfolio: 'book' };
    const into = 'book would take magic 1 on demo from trend, which runs: apply a version without trend first';
    expect(movedMagics(fileOf(trend), fileOf(child), new Set(['trend']))).toEqual([into]);
    const out = 'trend would take magic 1 on demo from book, which runs: apply a version without book first';
    expect(movedMagics(fileOf(child), fileOf(trend), new Set(['book']))).toEqual([out]);
  });

  it('is not refused when a unit gets another magic number, or a new unit a free one', () => {
    const held = new Set(['trend', 'mean']);
    expect(movedMagics(fileOf(trend), fileOf({ ...trend, magic: 9 }, mean), held)).toEqual([]);
  });
});
