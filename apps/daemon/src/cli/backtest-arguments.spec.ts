import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments, UsageError } from '@libs/command-line';
import { backtestArguments } from './backtest-arguments';
import { backtestFlags, drawnFlags, kindsOf } from './commands';
import { drawnOrders } from './drawn-orders';
import { progressBar } from './progress-bar';

function given(line: readonly string[]) {
  const { flags, words } = parseArguments(line, kindsOf(backtestFlags), null);
  return backtestArguments(flags, words);
}
const data = ['--data', 'data/gbpusd-bid.csv,data/gbpusd-ask.csv'];

describe('the command line of a backtest', () => {
  it('names the stream main after the first price file', () => {
    const { spec, files } = given(['mine.ts', ...data, '--params', '{"fast": 3}', '--capital', '2500.5']);
    expect(spec).toMatchObject({ capital: 2_500.5, params: { fast: 3 } });
    expect(spec.streams).toEqual([{ alias: 'main', symbol: 'GBPUSD', timeframe: 'M1', broker: 'backtest' }]);
    expect(files).toEqual(['data/gbpusd-bid.csv', 'data/gbpusd-ask.csv']);
  });

  it.each([
    ['prices/eurusd-d1-bid.csv', 'D1'],
    ['EURUSD=prices/h4/eurusd_h1.csv', 'H1'],
    ['prices-h1/eurusd.csv', 'M1'],
  ])('uses the timeframe that the name of the first price file states: %s is %s', (file, timeframe) => {
    const streamsOf = (...more: readonly string[]) =>
      given(['mine.ts', '--data', file, ...more]).spec.streams.map((stream) => stream.timeframe);
    expect([streamsOf(), streamsOf('--timeframe', 'W1')]).toEqual([[timeframe], ['W1']]);
  });

  it('takes several streams by the strategy’s own names for them', () => {
    const { spec } = given(['mine.ts', ...data, '--streams', 'fast=GBPUSD@m5, slow=GBPUSD@H1']);
    expect(given(['mine.ts', ...data, '--streams', 'slow=GBPUSD@H1,fast=GBPUSD@M5']).spec).toEqual(spec);
    expect(spec.streams.map(({ alias, timeframe }) => [alias, timeframe])).toEqual([
      ['slow', 'H1'],
      ['fast', 'M5'],
    ]);
  });

  it.each([
    [['--timeframe', 'M7'], 'the timeframe of main must be one of M1, '],
    [['--timeframe', '15'], ', MN1, not 15'],
    [['--streams', 'main=GBPUSD@1H'], ', MN1, not 1H'],
  ])('refuses %j and lists the timeframes', (flags, problem) => {
    expect(() => given(['mine.ts', ...data, ...flags])).toThrow(problem);
  });

  it('sets the rule for limits inside a bar', () => {
    expect(given(['mine.ts', ...data]).broker).toEqual({});
    expect(given(['mine.ts', ...data, '--limit-fill', 'touch']).broker).toEqual({ SIM_LIMIT_FILL: 'touch' });
  });

  it('sets the terms of the broker, and lists all that it cannot use', () => {
    const terms = ['--commission', '3.5', '--slippage', '2', '--spread', '12', '--swap=-6.5:1.2', '--latency', '250'];
    expect(given(['mine.ts', ...data, ...terms])).toMatchObject({
      broker: { SIM_COMMISSION: '3.5', SIM_SLIPPAGE: '2', SIM_SPREAD: '12', SIM_SWAP: '-6.5:1.2' },
      latencyMs: 250,
    });
    expect(given(['mine.ts', ...data]).latencyMs).toBe(0);
    expect(() => given(['mine.ts', ...data, '--commission', 'x', '--swap', '1:2:3', '--latency', '1.5'])).toThrow(
      [
        '--commission must be a number, 0 or more',
        '--swap must be points, or points of long:short such as -6.5:1.2',
        '--latency must be an integer, 0 to 600000, not 1.5',
      ].join('\n'),
    );
  });

  it('takes each parameter once', () => {
    expect(given(['mine.ts', ...data, '--params', '{"fast": 12, "in": {"fast": 3}}']).spec.params).toEqual({
      ...{ fast: 12, in: { fast: 3 } },
    });
    expect(() => given(['mine.ts', ...data, '--params', '{"fast": 12, "f\\u0061st": 13}'])).toThrow(
      '--params has fast more than once',
    );
  });

  it('reads times as UTC, whatever zone the machine is in', () => {
    const { fromMs, toMs } = given(['mine.ts', ...data, '--from', '2012-02-06', '--to', '2012-02-06T13:30+02:00']);
    expect([fromMs, toMs]).toEqual([Date.UTC(2012, 1, 6), Date.UTC(2012, 1, 6, 11, 30)]);
    expect(given(['mine.ts', ...data, '--from', '2012-02-06T10:00']).fromMs).toBe(Date.UTC(2012, 1, 6, 10));
  });

  it('runs a strategy of a configuration as it is configured, without the key of its gateway', () => {
    const config = join(mkdtempSync(join(tmpdir(), 'arguments-')), 'daemon.yaml');
    writeFileSync(
      config,
      `gateways: { demo: { url: "http://127.0.0.1:1", apiKeyEnv: A_KEY_THAT_IS_NOT_SET } }
portfolios:
  - { name: book, capital: 1000, children: [ { alias: one, weight: 0.25, module: ./one.ts, magic: 5,
      streams: { main: "demo:GBPUSD@M5" }, params: { a: 1, b: 2 }, risk: { maxVolume: 2 } } ] }`,
    );
    const { spec } = given([...data, '--config', config, '--params', '{"b": 3}']);
    expect(spec).toMatchObject({
      name: 'book/one',
      capital: 250,
      magic: 5,
      params: { a: 1, b: 3 },
      risk: { maxVolume: 2 },
    });
    expect(spec.streams[0]).toMatchObject({ broker: 'backtest', timeframe: 'M5' });
    expect(() => given([...data, '--config', config, '--strategy', 'book/on'])).toThrow('did you mean book/one?');
  });

  it.each([
    [['mine.ts'], '--data FILE'],
    [[...data], 'a strategy file, or --config'],
    [['mine.ts', 'more.ts', ...data], 'unexpected argument more.ts'],
    [['mine.ts', ...data, '--config', 'x.yaml'], 'not both'],
    [['mine.ts', ...data, '--strategy', 'x'], '--strategy needs --config'],
    [['mine.ts', ...data, '--from', 'yesterday'], '--from must be a date or time such as'],
    [['mine.ts', ...data, '--from', '5'], '--from must be a date'],
    [['mine.ts', ...data, '--to', '2012-02-31'], '--to must be a date'],
    [['mine.ts', ...data, '--params', '[1]'], '--params must be a JSON object'],
    [['mine.ts', ...data, '--params', '{'], '--params must be a JSON object'],
    [['mine.ts', ...data, '--streams', 'GBPUSD'], '--streams must have the form main=EURUSD@M1'],
    [['mine.ts', ...data, '--streams', 'a=X@M1', '--symbol', 'X'], 'replaces --symbol'],
    [['mine.ts', ...data, '--limit-fill', 'always'], '--limit-fill must be through or touch, not always'],
    [['mine.ts', ...data, '--capital', '0'], '--capital must be a number above 0, not 0'],
  ])('is refused as %j', (line, problem) => {
    expect(() => given(line)).toThrow(UsageError);
    expect(() => given(line)).toThrow(problem);
  });
});

describe('the progress bar', () => {
  const drawn = (isTTY: boolean): string => {
    let text = '';
    const draw = progressBar({ isTTY, write: (more) => (text += more) });
    for (const share of [0.5, 0.501, 1]) draw(share);
    return text;
  };

  it('is drawn on a terminal, once per percent, and removed at the end', () => {
    expect(drawn(true).match(/50 %/g)).toHaveLength(1);
    expect(drawn(true)).toMatch(/\r +\r$/);
  });

  it('prints nothing without a terminal', () => {
    expect(drawn(false)).toBe('');
  });
});

describe('the other orders of the trades', () => {
  const drawn = (...line: readonly string[]) => drawnOrders(parseArguments(line, kindsOf(drawnFlags), []).flags);

  it('are drawn as the flags say, and only where they are asked for', () => {
    expect(drawn()).toBeNull();
    expect(drawn('--monte-carlo', '500')).toEqual({ runs: 500, seed: 1, drawdownsPct: [10, 20, 30, 50] });
    expect(drawn('--monte-carlo', '5', '--seed', '0', '--drawdown', '2.5, 8')).toEqual({
      ...{ runs: 5, seed: 0, drawdownsPct: [2.5, 8] },
    });
  });

  it('are refused with every problem at once', () => {
    expect(() => drawn('--monte-carlo', '0', '--drawdown', '5,x,')).toThrow(
      [
        '--monte-carlo must be an integer, 1 to 100000, not 0',
        '--drawdown must be percentages such as 10,20, not x',
        '--drawdown must be percentages such as 10,20, not nothing',
      ].join('\n'),
    );
    expect(() => drawn('--seed', '1', '--drawdown', '5')).toThrow(
      '--seed needs --monte-carlo N\n--drawdown needs --monte-carlo N',
    );
  });
});
