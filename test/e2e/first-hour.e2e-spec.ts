import { Scratch } from './programs/scratch';
import { bareEnvironment, StartedProgram } from './programs/started-program';

describe('the first hour of a newcomer', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('leads to an order, a backtest and a live strategy by the commands of the README and the two pages after it', async () => {
    const program = new StartedProgram({
      ...{ command: process.execPath, args: ['scripts/first-hour.mjs'], env: bareEnvironment(), group: true },
    });
    scratch.undo(() => program.stop());
    const code = await program.exitCode();
    const reached = program.lines.map((line) => /^(.*): after [\d.]+ s$/.exec(line)?.[1]).filter(Boolean);
    expect({ code, output: program.output, reached }).toMatchObject({
      code: 0,
      reached: [
        'gateway and daemon running',
        'first order',
        'own strategy written',
        'first backtest',
        'own strategy live',
      ],
    });
  });
});
