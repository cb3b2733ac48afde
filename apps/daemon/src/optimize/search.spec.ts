import { Readable } from 'node:stream';
import { parseGrid } from './axis';
import { parseConditions } from './condition';
import { gridSets, randomSets, setAt } from './parameter-sets';
import { axesOf, setLines, type WrongLine } from './set-lines';
import { parseWalkForward, windowsOf } from './walk-forward';

const grid = (text: string) => {
  const problems: string[] = [];
  return { axes: parseGrid(text, problems), problems };
};
const conditions = (text: string) => {
  const problems: string[] = [];
  return { conditions: parseConditions(text, problems), problems };
};
const day = (text: string) => Date.parse(`${text}T00:00Z`);

describe('the grid of a search', () => {
  it('has exact steps with both ends, and lists of values', () => {
    expect(grid('stop=0.1:0.3:0.1, n=-2:3:2,mode=a|b,on=true|false')).toEqual({
      problems: [],
      axes: [
        { name: 'stop', values: [0.1, 0.2, 0.3] },
        { name: 'n', values: [-2, 0, 2] },
        { name: 'mode', values: ['a', 'b'] },
        { name: 'on', values: [true, false] },
      ],
    });
  });

  it('lists every entry that cannot be used', () => {
    expect(grid('fast=5:50,slow=9:1:1,x=1:2:0,y,z=0:1000000:1,ok=1:2:1,ok=3').problems).toEqual([
      '--grid fast must be from:to:step or a list such as a|b|c, not 5:50',
      '--grid slow=9:1:1: the end is below the start',
      '--grid x=1:2:0: the step must be above 0',
      '--grid entries have the form name=from:to:step or name=a|b|c, not y',
      '--grid z=0:1000000:1: 1000001 values are more than 10000',
      '--grid has ok more than once',
    ]);
  });

  it('numbers its sets by their place in the full grid, regardless of the sets that the conditions omit', () => {
    const { axes } = grid('fast=1:3:1,slow=2:4:1');
    const sets = gridSets(axes, conditions('fast<slow').conditions, {});
    expect(sets.map(({ set, params }) => [set, params.fast, params.slow])).toEqual([
      ...[
        [0, 1, 2],
        [1, 1, 3],
        [2, 1, 4],
        [4, 2, 3],
        [5, 2, 4],
        [8, 3, 4],
      ],
    ]);
    expect(setAt(axes, 5)).toEqual({ set: 5, params: { fast: 2, slow: 4 } });
  });
});

describe('the conditions of a search', () => {
  it.each([
    ['fast<slow', { fast: 1, slow: 2 }, true],
    ['slow >= 2*fast+5', { fast: 3, slow: 10 }, false],
    ['slow>=2*fast+5', { fast: 3, slow: 11 }, true],
    ['mode=a', { mode: 'a' }, true],
    ['mode!=a', { mode: 'a' }, false],
    ['on=true', { on: true }, true],
    ['stop>0.5', { stop: 0.4 }, false],
    ['fast<slow', { fast: 1 }, false],
  ])('%s of %j is %s', (text, values, expected) => {
    expect(conditions(text).conditions.every((condition) => condition.holds(values))).toBe(expected);
  });

  it('lists every comparison that cannot be read', () => {
    expect(conditions('fast<slow,fast,1+1,a<b<c').problems).toHaveLength(3);
  });
});

describe('random sets', () => {
  const { axes } = grid('a=1:100:1,b=1:100:1');

  it('are different ones, the same for a seed, and meet the conditions', () => {
    const { conditions: smaller } = conditions('a<b');
    const drawn = randomSets(axes, smaller, {}, 500, 7);
    expect(new Set(drawn.map(({ set }) => set)).size).toBe(500);
    expect(drawn.every(({ params }) => Number(params.a) < Number(params.b))).toBe(true);
    expect(randomSets(axes, smaller, {}, 500, 7)).toEqual(drawn);
    expect(randomSets(axes, smaller, {}, 500, 8)).not.toEqual(drawn);
  });

  it('are all that meet the conditions if those are fewer', () => {
    expect(randomSets(axes, conditions('a=7,b<4').conditions, {}, 500, 1)).toHaveLength(3);
  });

  it('are drawn from a grid that is too large to list', () => {
    const large = grid(['a', 'b', 'c', 'd'].map((name) => `${name}=1:1000:1`).join()).axes;
    const drawn = randomSets(large, conditions('a<b').conditions, {}, 50, 1);
    expect(drawn).toHaveLength(50);
    expect(new Set(drawn.map(({ params }) => params.d)).size).toBeGreaterThan(40);
  });
});

describe('the sets of a text', () => {
  const text = ['{"fast":12,"mode":"b"}', '', '{"fast":2.5,"on":true}', '[1]', '{"fast":null}', 'fast=3', '{"fast":9}'];

  it('are its lines by their number from 0, and what is no set is refused', async () => {
    const refused: WrongLine[] = [];
    const sets = await Readable.from(
      setLines(Readable.from([text.join('\n')]), (line) => refused.push(line)),
    ).toArray();
    expect(sets).toEqual([
      { set: 0, params: { fast: 12, mode: 'b' } },
      { set: 2, params: { fast: 2.5, on: true } },
      { set: 6, params: { fast: 9 } },
    ]);
    expect(refused.map(({ set }) => set)).toEqual([3, 4, 5]);
    expect(refused[2]?.error).toMatch(/^line 6 must be a JSON object of .*, not fast=3$/);
    expect(axesOf(sets)).toEqual([
      { name: 'fast', values: [2.5, 9, 12] },
      { name: 'mode', values: ['b'] },
      { name: 'on', values: [true] },
    ]);
  });
});

describe('the windows of a walk-forward', () => {
  it('are moved by the length of the test, in calendar months', () => {
    const months = parseWalkForward('2m/1m');
    const windows = months && windowsOf(months, day('2023-01-31'), day('2023-05-30'));
    expect(
      windows?.map((window) => Object.values(window).map((ms) => new Date(ms).toISOString().slice(0, 10))),
    ).toEqual([
      ['2023-01-31', '2023-03-31', '2023-04-30'],
      ['2023-02-28', '2023-04-28', '2023-05-28'],
    ]);
  });

  it('end with a test part of which at least half has prices', () => {
    const weeks = parseWalkForward('2w/1w');
    const last = (until: string) => weeks && windowsOf(weeks, day('2023-02-01'), day(until)).length;
    expect([last('2023-02-18'), last('2023-02-19'), last('2023-02-28')]).toEqual([0, 1, 2]);
  });

  it.each(['6m', '6m/', '0d/1d', '1y/1m', '6m/1m/1m'])('are not made of %s', (text) => {
    expect(parseWalkForward(text)).toBeNull();
  });
});
