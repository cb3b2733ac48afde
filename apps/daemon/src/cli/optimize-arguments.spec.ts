import { VirtualClock } from '@libs/clock';
import { argumentsOf, commands } from './commands';
import { optimizeArguments } from './optimize-arguments';
import { SearchProgress } from './optimize.command';

function given(line: readonly string[]) {
  const { flags, words } = argumentsOf(commands.optimize, line);
  return optimizeArguments(flags, words);
}

describe('the command line of a search', () => {
  const market = ['mine.ts', '--data', 'eurusd.csv'];

  it('is read with defaults for omitted values', () => {
    expect(given([...market, '--grid', 'a=1:3:1', '--jobs', '2'])).toMatchObject({
      ...{ metric: 'returnPct', minTrades: 0, random: null, walkForward: null, jobs: 2, top: 20, conditions: [] },
      backtest: { files: ['eurusd.csv'], spec: { capital: 10_000 } },
    });
    expect(given([...market, '--grid', 'a=1:3:1', '--random', '2'])).toMatchObject({ random: { count: 2, seed: 1 } });
  });

  it('is rejected with every problem at once', () => {
    const line = [
      '--grid',
      'a=1:2',
      '--where',
      'a',
      '--metric',
      'sharp',
      '--walk-forward',
      '6',
      '--jobs',
      '0',
      '--seed',
      '1',
      '--resume',
    ];
    expect(() => given(line)).toThrow(
      [
        'optimize needs --data FILE[,FILE], with recorded prices',
        '--grid a must be from:to:step or a list such as a|b|c, not 1:2',
        '--where takes comparisons such as fast<slow or slow>=2*fast+5, not a',
        '--seed needs --random',
        '--metric sharp is unknown; did you mean sharpe?',
        '--walk-forward must be training/test in d, w or m, such as 6m/1m, not 6',
        '--jobs must be an integer, 1 to 256, not 0',
        '--resume needs --results FILE',
      ].join('\n'),
    );
  });

  it('takes sets in place of a grid, and then nothing that a grid has', () => {
    expect(given([...market, '--sets', '-'])).toMatchObject({ sets: '-', axes: [] });
    const line = [
      '--sets',
      '/nowhere.jsonl',
      '--grid',
      'a=1',
      '--random',
      '2',
      '--walk-forward',
      '1w/1w',
      '--top',
      '5',
    ];
    expect(() => given([...market, ...line])).toThrow(
      [
        '--grid does not go with --sets, whose lines are the sets',
        '--random does not go with --sets, whose lines are the sets',
        '--walk-forward does not go with --sets, whose lines are the sets',
        '--top does not go with --sets, whose lines are the sets',
        '--sets /nowhere.jsonl cannot be read',
      ].join('\n'),
    );
  });

  it('needs --random for a grid that is too large to run', () => {
    const grid = ['--grid', 'a=1:2000:1,b=1:2000:1'];
    expect(() => given([...market, ...grid])).toThrow(
      '--grid has 4000000 sets, and 1000000 can be run; add --random N',
    );
    expect(given([...market, ...grid, '--random', '9']).axes).toHaveLength(2);
  });
});

describe('the progress of a search', () => {
  it('states what is done and how long the rest takes, without what was kept', async () => {
    const clock = new VirtualClock();
    const texts: string[] = [];
    const progress = new SearchProgress(5, { isTTY: true, write: (text: string) => texts.push(text) }, clock);
    progress.note({ error: 'x' }, true);
    await clock.advance(60_000);
    progress.note({ error: 'x' }, false);
    expect(texts.map((text) => text.trim())).toEqual(['1 of 5 runs, 1 failed', '2 of 5 runs, 2 failed, 3m 00s left']);
  });
});
