import { commandNames, run } from './run';
import { usage } from './usage';

describe('the help of the daemon', () => {
  it.each([['--help'], ['-h'], ['help'], ['backtest --help'], ['list -h']])('is printed for %s', async (line) => {
    const printed: string[] = [];
    expect(await run(line.split(' '), (text) => printed.push(text))).toBe(0);
    expect(printed.join('')).toBe(usage);
  });

  it.each([...commandNames])('tells of the command %s', (name) => {
    expect(usage).toMatch(new RegExp(`^  daemon \\[?${name}\\b`, 'm'));
  });
});
