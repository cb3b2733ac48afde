import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { account, ServedSimulator, token } from './subjects';

const standIn = resolve(__dirname, '../fake-mt5');
const noConnection = [-10_004, 'No IPC connection'];

/** Evaluates each expression in turn; gives its value, or the name of what it raised, and the last_error after it. */
function evaluate(expressions: readonly string[], address?: string): [unknown, unknown][] {
  const program = `
import json, sys
import MetaTrader5 as mt5
def value(expression):
    try:
        return eval(expression)
    except Exception as error:
        return type(error).__name__
print(json.dumps([[value(expression), mt5.last_error()] for expression in json.loads(sys.argv[1])], default=repr))
`;
  const env = { PATH: process.env['PATH'], PYTHONPATH: standIn, FAKE_MT5_NUMPY: '0', FAKE_MT5_TOKEN: token };
  const run = spawnSync('python3', ['-B', '-c', program, JSON.stringify(expressions)], {
    encoding: 'utf8',
    env: address === undefined ? env : { ...env, FAKE_MT5_ADDR: address },
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as [unknown, unknown][];
}

/** What was seen on the genuine package 5.0.6231. */
describeWithPython('the stand-in package without a terminal (needs python3)', () => {
  it.each([
    ['mt5.last_error()', [0, ''], [0, '']],
    ['mt5.initialize()', false, [-10_003, 'IPC initialize failed, MetaTrader 5 x64 not found']],
    ['mt5.initialize("x.exe")', false, [-10_003, "IPC initialize failed, Process create failed 'x.exe'"]],
    [
      'mt5.symbols_get()',
      null,
      [-5, 'Terminal: Incompatible versions, please install the latest version of Terminal and Python module'],
    ],
    ['mt5.version()', [0, 0, ''], noConnection],
    ['mt5.market_book_add("EURUSD")', false, [1, 'Success']],
    ['mt5.account_info()', null, noConnection],
    ['mt5.order_send({"action": 1, "symbol": "EURUSD", "volume": 0.1})', null, noConnection],
    ['mt5.shutdown()', true, [1, 'Success']],
  ])('%s is %j, with last_error %j', (expression, value, lastError) => {
    expect(evaluate([expression])).toEqual([[value, lastError]]);
  });

  it.each([
    ['both forms together', 'mt5.order_send({}, action=1)', 'Unnamed arguments not allowed'],
    ['nothing', 'mt5.order_send()', 'Invalid number of arguments'],
    ['a comment of 30 units', 'mt5.order_send(comment="x" * 30)', 'Invalid "comment" argument'],
    ['15 characters of two units each', 'mt5.order_send(comment="\\U0001F600" * 15)', 'Invalid "comment" argument'],
    ['a symbol of 30 units', 'mt5.order_check({"symbol": "x" * 30})', 'Invalid "symbol" argument'],
    ['a whole number for a float', 'mt5.order_send(volume=1)', 'Invalid "volume" argument'],
    ['True for a float', 'mt5.order_send(price=True)', 'Invalid "price" argument'],
    ['a float for a whole number', 'mt5.order_send(magic=1.0)', 'Invalid "magic" argument'],
    ['an unnamed filter', 'mt5.positions_get("EURUSD")', 'Unnamed arguments not allowed'],
    ['named dates', 'mt5.history_deals_get(date_from=1, date_to=2)', 'Invalid arguments'],
  ])('%s: -2', (_what, expression, message) => {
    expect(evaluate([expression])).toEqual([[null, [-2, message]]]);
  });

  it.each([
    'mt5.order_send({"magic": -1})',
    'mt5.order_send({"action": 2 ** 31})',
    'mt5.positions_get(ticket=-1)',
    'mt5.copy_rates_from_pos("EURUSD", 1, 0, 2 ** 31)',
    'mt5.copy_rates_range("EURUSD", 1, 0, 2 ** 40)',
    'mt5.login(-1)',
  ])('%s raises SystemError, with last_error -2', (expression) => {
    expect(evaluate([expression])).toMatchObject([['SystemError', [-2, expect.any(String)]]]);
  });
});

describeWithPython('the stand-in package with a terminal (needs python3)', () => {
  let simulator: ServedSimulator;
  const cleanUp = new CleanUp();
  beforeAll(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
  }, 60_000);
  afterAll(() => cleanUp.run());

  const login = `mt5.login(${account.login}, password="${account.password}", server="${account.server}")`;
  const evaluated = (...expressions: string[]): unknown[] =>
    evaluate(['mt5.initialize()', login, ...expressions], simulator.address)
      .slice(2)
      .map(([value]) => value);

  it('ignores names and keys that it does not know', () => {
    const request = '{"action": 1, "symbol": "EURUSD", "volume": 0.1, "type": True, "unknown": 1}';
    expect(evaluated('mt5.positions_get(foo=1) == ()', `mt5.order_send(${request}).retcode`)).toEqual([true, 10_009]);
  });

  it('takes a request by names, and counts a comment of 29 units', () => {
    const request = 'action=1, symbol="EURUSD", volume=0.1, comment="x" * 29';
    expect(evaluated(`mt5.order_send(${request}).retcode`)).toEqual([10_009]);
  });

  it('answers records that have names and _asdict, but are no named tuples', () => {
    expect(
      evaluated(
        'mt5.account_info().login',
        'mt5.account_info()._asdict()["currency"]',
        'hasattr(mt5.account_info(), "_fields")',
        'hasattr(mt5.account_info(), "_replace")',
        'len(mt5.symbol_info("EURUSD"))',
      ),
    ).toEqual([account.login, 'USD', false, false, 96]);
  });
});
