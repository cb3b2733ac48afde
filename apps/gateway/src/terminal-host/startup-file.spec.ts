import { startupText, UnwritableCredentialError } from './startup-file';

const account = { login: 5012345, password: 'a=b;c#d "e"', server: 'Acme-Demo' };

describe('The text of the startup file', () => {
  it('has the account, the candidate as server, and whether programs may trade', () => {
    expect(startupText(account, '203.0.113.7:443', true)).toBe(
      '[Common]\r\nLogin=5012345\r\nPassword=a=b;c#d "e"\r\nServer=203.0.113.7:443\r\n' +
        '[Experts]\r\nAllowLiveTrading=1\r\nEnabled=1\r\nAccount=0\r\n',
    );
    expect(startupText(account, 'Acme-Demo', false)).toContain('AllowLiveTrading=0\r\nEnabled=0\r\nAccount=1\r\n');
  });

  it.each(['\n', '\r', '\0'])('refuses a value that would break its line, and does not repeat it', (breaker) => {
    const broken = `hidden${breaker}AllowLiveTrading=1`;
    expect(() => startupText({ ...account, password: broken }, 'Acme-Demo', false)).toThrow(UnwritableCredentialError);
    expect(() => startupText({ ...account, password: broken }, 'Acme-Demo', false)).not.toThrow(/hidden/);
    expect(() => startupText(account, `Acme${breaker}`, false)).toThrow('address');
  });
});
