import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '@libs/command-line';
import { StrategiesRefusedError } from '../backtest/strategies-refused-error';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import { argumentsOf, commands } from './commands';
import { portfolioArguments, refusalOf } from './portfolio-arguments';

function configuration(second: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'portfolio-arguments-')), 'daemon.yaml');
  writeFileSync(
    path,
    `gateways:
  demo: { url: "http://127.0.0.1:1", apiKeyEnv: A_KEY_THAT_IS_NOT_SET }
  other: { url: "http://127.0.0.1:2", apiKeyEnv: ANOTHER_KEY }
strategies:
  - { name: alone, capital: 5, module: ./one.ts, magic: 9, streams: { main: "demo:USDJPY@M1" } }
portfolios:
  - name: book
    capital: 1000
    risk: { maxDailyLoss: 50 }
    children:
      - { alias: one, weight: 0.25, module: ./one.ts, magic: 5, streams: { main: "demo:GBPUSD@M5" }, params: { a: 1 } }
      - alias: two
        weight: 0.5
        module: ./two.ts
        magic: 6
        streams:
          main: "${second}"
`,
  );
  return path;
}

const data = ['--data', 'gbpusd-bid.csv,gbpusd-ask.csv,EURUSD=x.csv'];
const config = configuration('demo:EURUSD@M1');

function given(line: readonly string[]) {
  const { flags, words } = argumentsOf(commands.backtest, line);
  return portfolioArguments({ ...flags, portfolio: flags.portfolio ?? '' }, words);
}
const problemOf = (line: readonly string[]): Error => {
  try {
    given(line);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('the arguments are accepted');
};

describe('the command line of the backtest of a portfolio', () => {
  it('takes the portfolio as it is configured, without the keys of its gateways', () => {
    const { portfolio, strategies, files, latencyMs, fromMs } = given([
      ...['--config', config, '--portfolio', 'book', ...data, '--latency', '5', '--from', '2024-01-08'],
    ]);
    expect(portfolio).toEqual({
      ...{ name: 'book', capital: 1_000, risk: { maxDailyLoss: 50, maxDrawdownPct: null } },
      children: ['book/one', 'book/two'],
    });
    expect(strategies.map(({ name, capital, magic, streams }) => [name, capital, magic, streams])).toEqual([
      ['book/one', 250, 5, [{ alias: 'main', broker: 'backtest', symbol: 'GBPUSD', timeframe: 'M5' }]],
      ['book/two', 500, 6, [{ alias: 'main', broker: 'backtest', symbol: 'EURUSD', timeframe: 'M1' }]],
    ]);
    expect([files.length, latencyMs, fromMs]).toEqual([3, 5, Date.UTC(2024, 0, 8)]);
  });

  it('is refused with everything that is for one strategy', () => {
    const error = problemOf(['mine.ts', '--portfolio', 'book', ...data, '--capital', '5', '--params', '{}']);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message.split('\n')).toEqual([
      '--portfolio takes its strategies from --config; omit the strategy file',
      '--portfolio needs --config FILE',
      '--params is for one strategy: a portfolio is run as it is configured',
      '--capital is for one strategy: a portfolio is run as it is configured',
    ]);
  });

  it('is refused with the nearest name, and without prices', () => {
    expect(problemOf(['--config', config, '--portfolio', 'bok', ...data]).message).toContain('did you mean book?');
    expect(problemOf(['--config', config, '--portfolio', 'book']).message).toContain('--data FILE');
  });

  it('lists every problem of the configuration with its line', () => {
    const elsewhere = configuration('other:EURUSD@M1');
    const error = problemOf(['--config', elsewhere, '--portfolio', 'book', '--data', 'usdjpy.csv']);
    expect(error).toBeInstanceOf(DaemonFileError);
    expect(error.message.split('\n').slice(1)).toEqual([
      '  line 17: portfolios[0].children[1].streams.main names the gateway other beside demo: a backtest has one account',
      '  line 11: portfolios[0].children[0].streams.main names GBPUSD; the price files of --data contain USDJPY',
      '  line 17: portfolios[0].children[1].streams.main names EURUSD; the price files of --data contain USDJPY',
    ]);
  });

  it('lists every strategy that cannot be loaded with its line', () => {
    const wanted = given(['--config', config, '--portfolio', 'book', ...data]);
    const refused = new StrategiesRefusedError([
      { name: 'book/two', problem: 'params.lenght is not known\n    at create (/x/two.ts:3:7)' },
      { name: 'book/one', problem: '/x/one.ts does not exist' },
    ]);
    expect(refusalOf(wanted, refused).problems).toEqual([
      'line 12: portfolios[0].children[1] cannot run: params.lenght is not known (/x/two.ts:3:7)',
      'line 11: portfolios[0].children[0] cannot run: /x/one.ts does not exist',
    ]);
  });
});
