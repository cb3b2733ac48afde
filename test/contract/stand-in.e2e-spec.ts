import { resolve } from 'node:path';
import { CleanUp } from './clean-up';
import * as packageBehaviour from './package-behaviour';
import { describeWithPython } from './python';
import { account, ServedSimulator, token } from './subjects';

const standIn = resolve(__dirname, '../fake-mt5');

function evaluate(expressions: readonly string[], address?: string): [unknown, unknown][] {
  const env = { PATH: process.env['PATH'], PYTHONPATH: standIn, FAKE_MT5_NUMPY: '0', FAKE_MT5_TOKEN: token };
  return packageBehaviour.evaluate(
    ['python3'],
    address === undefined ? env : { ...env, FAKE_MT5_ADDR: address },
    expressions,
  );
}

describeWithPython('the stand-in package without a terminal (needs python3)', () => {
  it.each(packageBehaviour.withoutTerminal)('%s is %j, with last_error %j', (expression, value, lastError) => {
    expect(evaluate([expression])).toEqual([[value, lastError]]);
  });

  it.each(packageBehaviour.refusedArguments)('%s: -2', (_what, expression, message) => {
    expect(evaluate([expression])).toEqual([[null, [-2, message]]]);
  });

  it.each(packageBehaviour.numbersOutOfRange)('%s raises SystemError, with last_error %i', (expression, code) => {
    expect(evaluate([expression])).toMatchObject([['SystemError', [code, expect.any(String)]]]);
  });

  it.each(packageBehaviour.numbersInRange)('%s passes the check of its arguments', (expression) => {
    expect(evaluate([expression])).toMatchObject([[null, [-10_004, expect.any(String)]]]);
  });
});

describeWithPython('the stand-in package with a terminal (needs python3)', () => {
  let simulator: ServedSimulator;
  const cleanUp = new CleanUp();
  beforeAll(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
  });
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

  it('answers records that have names and _asdict, but are not named tuples', () => {
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
