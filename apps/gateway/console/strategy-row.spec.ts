import { headingsOf, strategyCellClass, strategyCells as cellsOf } from './strategy-row';

const row = {
  ...{ name: 'trend', kind: 'strategy', state: 'running', halted: false, haltReason: null, problem: null },
  ...{ capital: 10_000, balance: 10_000, equity: 9_998.5, realized: 0, unrealized: -1.5, positions: [{}], trades: 2 },
};

const strategyHeadings = headingsOf([row]);
const strategyCells = (of: typeof row | Readonly<Record<string, unknown>>): string[] => cellsOf(of, strategyHeadings);

describe('the row of a strategy', () => {
  it('has a cell for each heading', () => {
    const cells = ['trend', 'strategy', 'running', '10,000.00', '9,998.50', '0.00', '-1.50', '-0.01', '1', '2'];
    expect(strategyCells(row)).toEqual(cells);
    expect(strategyHeadings).toHaveLength(cells.length);
  });

  it('counts deals, not round trips, and has money as other texts have it', () => {
    expect(strategyHeadings).toContain('Deals');
    expect(strategyCells({ ...row, unrealized: -0.001 })[6]).toBe('0.00');
  });

  it('has a column for problems only while one of them has one', () => {
    expect(strategyHeadings).not.toContain('Problem');
    const headings = headingsOf([row, { ...row, problem: 'the feed is old' }]);
    expect(cellsOf({ ...row, problem: 'the feed is old' }, headings).at(-1)).toBe('the feed is old');
    expect(cellsOf(row, headings).at(-1)).toBe('');
  });

  it('states why it is halted', () => {
    expect(strategyCells({ ...row, halted: true, haltReason: 'drawdown' })[2]).toBe('halted: drawdown');
  });

  it('marks a halt and a result, and no money that was neither gained nor lost', () => {
    const halted = { ...row, halted: true, realized: 3, unrealized: -0.001 };
    const marks = (of: typeof row) => strategyHeadings.map((heading) => strategyCellClass(of, heading)).filter(Boolean);
    expect(marks(halted)).toEqual(['loss', 'gain', 'loss']);
    expect(strategyCellClass(halted, 'State')).toBe('loss');
    expect(marks(row)).toEqual(['loss', 'loss']);
    expect(marks({ ...row, equity: 10_000 })).toEqual(['loss']);
  });

  it('has no worth of positions while its account is not explained', () => {
    const accounts = [{ gateway: 'demo', state: 'synchronizing', reason: 'account_not_explained' }];
    const cells = ['10,000.00', 'not known', '0.00', 'not known', 'not known', 'not known', '2'];
    expect(strategyCells({ ...row, accounts }).slice(3, 10)).toEqual(cells);
    expect(strategyCellClass({ ...row, accounts }, 'Unrealized')).toBe('');
  });

  it('has no zero for a figure that the daemon does not know', () => {
    expect(strategyCells({ name: 'trend', equity: null }).slice(3, 10)).toEqual(Array(7).fill('not known'));
  });
});
