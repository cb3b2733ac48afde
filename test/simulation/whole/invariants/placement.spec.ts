import {
  enteredThoughRemoved,
  foreignToken,
  heldThoughDraining,
  permittedTwice,
  takenThoughRemoved,
} from './placement';

const left = new Set(['trend']);

describe('a unit that was removed', () => {
  it('is taken by no host', () => {
    expect(takenThoughRemoved('trend', 2, left)).toEqual([]);
    expect(takenThoughRemoved('mean', 2, left)).toHaveLength(1);
  });

  it('enters nothing on a host that runs the version', () => {
    expect(enteredThoughRemoved('k1', 'trend', 2, left)).toEqual([]);
    expect(enteredThoughRemoved('k1', 'mean', 2, left)).toHaveLength(1);
  });
});

describe('a unit of a fleet', () => {
  it('sends under the tokens of its host', () => {
    expect(foreignToken('k1', 'trend', 2, new Set([1, 2]))).toEqual([]);
    expect(foreignToken('k1', 'trend', 3, new Set([1, 2]))).toHaveLength(1);
  });

  it('may enter on one host', () => {
    expect([...permittedTwice('trend', []), ...permittedTwice('trend', ['one'])]).toEqual([]);
    expect(permittedTwice('trend', ['one', 'two'])).toHaveLength(1);
  });

  it('leaves a host that drains, if another one does not', () => {
    const host = (name: string, isDraining: boolean, ...units: string[]) => ({ name, isDraining, units });
    expect(heldThoughDraining([host('one', true), host('two', false, 'trend')])).toEqual([]);
    expect(heldThoughDraining([host('one', true, 'trend'), host('two', true)])).toEqual([]);
    expect(heldThoughDraining([host('one', true, 'trend'), host('two', false)])).toHaveLength(1);
  });
});
