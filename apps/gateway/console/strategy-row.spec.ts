import { strategyCellClass, strategyCells, strategyHeadings } from './strategy-row';

const row = {
  ...{ name: 'trend', kind: 'strategy', state: 'running', halted: false, haltReason: null, problem: null },
  ...{ balance: 10_000, equity: 9_998.5, realized: 0, unrealized: -1.5, positions: [{}], trades: 2 },
};

describe('the row of a strategy', () => {
  it('has a cell for each heading', () => {
    const cells = ['trend', 'strategy', 'running', '10,000.00', '9,998.50', '0.00', '-1.50', '1', '2', ''];
    expect(strategyCells(row)).toEqual(cells);
    expect(strategyHeadings).toHaveLength(cells.length);
  });

  it('counts deals, not round trips, and has money as other texts have it', () => {
    expect(strategyHeadings).toContain('Deals');
    expect(strategyCells({ ...row, unrealized: -0.001 })[6]).toBe('0.00');
  });

  it('states why it is halted', () => {
    expect(strategyCells({ ...row, halted: true, haltReason: 'drawdown' })[2]).toBe('halted: drawdown');
  });

  it('marks a halt and a result, and no money that was neither gained nor lost', () => {
    const halted = { ...row, halted: true, realized: 3, unrealized: -0.001 };
    const marks = (of: typeof row) => strategyHeadings.map((heading) => strategyCellClass(of, heading)).filter(Boolean);
    expect(marks(halted)).toEqual(['loss', 'gain']);
    expect(strategyCellClass(halted, 'State')).toBe('loss');
    expect(marks(row)).toEqual(['loss']);
  });

  it('has no worth of positions while its account is not explained', () => {
    const accounts = [{ gateway: 'demo', state: 'synchronizing', reason: 'account_not_explained' }];
    const cells = ['10,000.00', 'not known', '0.00', 'not known', 'not known', '2'];
    expect(strategyCells({ ...row, accounts }).slice(3, 9)).toEqual(cells);
    expect(strategyCellClass({ ...row, accounts }, 'Unrealized')).toBe('');
  });

  it('has no zero for a figure that the daemon does not know', () => {
    expect(strategyCells({ name: 'trend', equity: null }).slice(3, 9)).toEqual(Array(6).fill('not known'));
  });
});
