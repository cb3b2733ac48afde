import { UsageError } from '@libs/command-line';
import { BacktestRefusedError } from '../backtest/period';
import { StrategiesRefusedError } from '../backtest/strategies-refused-error';
import { exitCodeOf, problemOf } from './problem';

describe('what a command prints of an error', () => {
  it.each([
    ['a wrong command line', new UsageError('unknown flag --x'), 'unknown flag --x'],
    ['a refused backtest', new BacktestRefusedError('no prices'), 'no prices'],
    [
      'strategies that cannot be loaded',
      new StrategiesRefusedError([
        { name: 'book/a', problem: 'a.ts:1:1: no' },
        { name: 'book/b', problem: 'gone' },
      ]),
      'book/a: a.ts:1:1: no\nbook/b: gone',
    ],
  ])('is the message of %s', (_what, error, printed) => {
    expect(problemOf(error)).toBe(printed);
  });

  it('is the stack of a bug', () => {
    expect(problemOf(new TypeError('x is undefined'))).toMatch(/^TypeError: x is undefined\n +at /);
  });

  it('has exit code 2 for a wrong command line alone', () => {
    expect([exitCodeOf(new UsageError('x')), exitCodeOf(new BacktestRefusedError('x'))]).toEqual([2, 1]);
  });
});
