import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The value of an expression over one module of the script, which is made for Node itself and not for Jest. */
function valueOf(module: string, expression: string): unknown {
  const text = `import * as it from ${JSON.stringify(join(__dirname, module))};
    console.log(JSON.stringify((${expression}) ?? null));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' }));
}

describe('the permission to trade', () => {
  const refusal = (account: object, killSwitch = false): unknown => {
    const found = { account: { login: 7, trade_mode: 0, ...account }, health: { kill_switch_active: killSwitch } };
    return valueOf('trade-permission.mjs', `it.mayNotTrade(${JSON.stringify(found)}, { login: 7 })`);
  };

  it('is given for a demo account that is named', () => {
    expect(refusal({})).toBeNull();
  });

  it.each([
    ['a real account', { trade_mode: 2 }, 'not a demo account'],
    ['a contest account', { trade_mode: 1 }, 'not a demo account'],
    ['an account whose mode is unknown', { trade_mode: null }, 'not a demo account'],
    ['another account than the named one', { login: 8 }, '--login 7 is not the account'],
  ])('is refused for %s', (_, account, reason) => {
    expect(refusal(account)).toContain(reason);
  });

  it('is refused while the kill switch is active', () => {
    expect(refusal({}, true)).toBe('the kill switch is active');
  });
});

describe('the report', () => {
  const cleaned = (value: unknown, ...secrets: string[]): unknown => {
    const list = JSON.stringify(secrets.map((secret) => ({ secret, shown: '(x)' })));
    return valueOf('report.mjs', `it.withoutSecrets(${JSON.stringify(value)}, ${list})`);
  };

  it('has no secret in texts, numbers, lists and objects', () => {
    const value = { login: 5012345, said: ['login 5012345 of Jo Doe', { key: 'Bearer top-secret-key!' }] };
    expect(cleaned(value, '5012345', 'Jo Doe', 'top-secret-key')).toEqual({
      login: '(x)',
      said: ['login (x) of (x)', { key: 'Bearer (x)!' }],
    });
  });

  it('has a long secret taken out of the middle of a word, and leaves words and numbers that hold a short one', () => {
    expect(cleaned('atop-secret-keyb', 'top-secret-key')).toBe('a(x)b');
    expect(cleaned('broker of ticket 7123, key k', 'k', '123')).toBe('broker of ticket 7123, key (x)');
    expect(cleaned('(.*)', '(.*)')).toBe('(x)');
  });
});
