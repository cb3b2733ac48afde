import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretsOf } from './private-values';
import { Redaction, type PrivateValues } from './redaction';
import { reportedSettings } from './reported-settings';

const none: PrivateValues = { secrets: [], logins: [], holders: [], home: null };

/** What is left of lines that are noted together. */
function left(lines: readonly (string | object)[], values: Partial<PrivateValues> = {}): string[] {
  const redaction = new Redaction({ ...none, ...values });
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  for (const text of texts) redaction.note(text);
  return texts.map((text) => redaction.line(text));
}

describe('a line of a report', () => {
  it.each([
    ['a password of an address', 'cannot reach https://ops:s3cret@host.example:8443/a', 'https://host.example:8443/'],
    ['a password with signs of an address', 'to postgres://ops:s3cret/@x@host/db failed', 'failed'],
    ['a token in a path', 'POST https://api.telegram.org/bot77:s3cret/sendMessage is 404', 'https://api.telegram.org/'],
    ['a parameter', 'GET /signals/trend?secret=s3cret&id=7', '/signals/trend'],
    ['the secret of a source', 'POST /signals/trend/s3cret', '/signals/trend/'],
    ['a header', 'authorization: Bearer s3cret, x', 'authorization'],
    ['a cookie', 'Cookie: a=1; b=s3cret', 'Cookie'],
    ['a key of the bearer kind', 'refused Bearer s3cret.', 'refused'],
    ['a pair', 'login with password="s3cret" failed', 'failed'],
    ['a variable', 'API_KEY=s3cret node main.js', 'API_KEY'],
    ['JSON in text', 'body {"user":"a","apiKey":"s3cret"}', 'body'],
    ['a part of JSON', '{"level":"INFO","comment":"s3cret', 'cut short'],
    ['a part of JSON of a container', 'gateway-1  | {"level":"INFO","comment":"s3cret', 'gateway-1  | [a line'],
    ['the end of JSON', 'mment":"s3cret","magic":7}', 'cut short'],
    ['the end of JSON that begins in a comment', 's s3cret plan","magic":7}', 'cut short'],
    ['the end of JSON that is a comment', 's s3cret plan"}', 'cut short'],
    ['a line of JSON with others', '  "comment": "s3cret",', 'cut short'],
    ['JSON with something behind it', 'to {"comment":"s3cret"} again', 'to [a line'],
    ['a pair of Ruby', 'with :password=>"s3cret" and', ' and'],
    ['an encoded pair', 'form user%3Da%26password%3Ds3cret%26x', 'form '],
    ['a flag', 'node main.js --api-key s3cret --port 5001', '--port 5001'],
    ['a flag of Windows', 'terminal64.exe /password:s3cret /portable', 'terminal64.exe'],
    ['an element', '<Login>4</Login><Password>s3cret</Password>', '</Password>'],
    ['a variable of the terminal', 'env WINEDEBUG=-all BROKER_KEY=s3cret wine', 'WINEDEBUG=-all'],
    ['a source name without a scheme', 'dial ops:s3cret@tcp(db:3306)/trade failed', 'failed'],
    ['Base64 with its signs', 'key s3cret+AB/cd1Ef2gH3iJ4== read', ' read'],
    ['an e-mail address', 'mail to s3cret@example.com', 'mail to'],
    ['a long word', 'unknown word s3cretABCDEFGHIJKLMNOPQRS', 'unknown word'],
  ])('has no longer %s', (_what, line, kept) => {
    const [text] = left([line]);
    expect(text).not.toContain('s3cret');
    expect(text).toContain(kept);
  });

  it.each([
    ['in a member of its own', { password: 's3cret' }],
    ['deeper', { a: [{ x_api_key: 's3cret' }] }],
    ['in a text of JSON', { response: '{"result":{"token":"s3cret"}}' }],
    ['below a member of its own', { token: { value: 's3cret' } }],
    ['below two members', { credentials: { broker: { name: 'a', key: 's3cret' } } }],
    ['of a pair', { env: [{ name: 'API_KEY', value: 's3cret' }] }],
    ['of a list of headers', { rawHeaders: ['x-api-key', 's3cret', 'accept', '*/*'] }],
    ['of a list of arguments', { argv: ['main.js', '--password', 's3cret'] }],
    ['of a variable', { env: { BROKER_KEY: 's3cret' } }],
    ['in JSON in JSON in text', { msg: 'body "{\\"password\\":\\"s3cret\\"}" of' }],
    ['in a comment', { request: { comment: 's3cret' } }],
    ['as the name of a holder', { login: 4, name: 's3cret' }],
  ])('has no longer a value %s', (_what, line) => {
    const [text = ''] = left([line]);
    expect(text).not.toContain('s3cret');
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('hides a known secret in every form', () => {
    const secret = 'pa"ss wörd/1';
    const lines = [
      `plain ${secret}.`,
      { msg: secret, [secret]: 1 },
      `encoded ${encodeURIComponent(secret)}`,
      `basic-like ${Buffer.from(secret).toString('base64')}`,
    ];
    for (const text of left(lines, { secrets: [secret] })) {
      expect(text).not.toMatch(/pa\W*ss|w.rd|cGEi/);
      expect(text).toContain('[redacted]');
    }
    const other = [
      `form ${secret.replaceAll(' ', '+').replaceAll('"', '%22').replaceAll('ö', '%C3%B6').replaceAll('/', '%2F')}`,
      `lower ${encodeURIComponent(secret).toLowerCase()}`,
      'python pa\\"ss w\\u00f6rd/1',
      `twice ${JSON.stringify(JSON.stringify(secret))}`,
      `page ${secret.replaceAll('"', '&quot;')}`,
      `token ${Buffer.from(`${secret}??>`).toString('base64url')}`,
    ];
    for (const text of left(other, { secrets: [secret] })) expect(text).not.toMatch(/pa\W*(?:quot;|22)?ss|rd\W|cGEi/);
    expect(left(['a key k1 and k12'], { secrets: ['k1'] })).toEqual(['a key [redacted] and k12']);
  });

  it('hides a part of a known secret where a line was cut', () => {
    const lines = ['refused hunter2-of', 'er2-of-the-broker at 10', 'refused hunter2-of…', { msg: 'x hunter2-of...' }];
    for (const text of left(lines, { secrets: ['hunter2-of-the-broker'] })) expect(text).not.toMatch(/hunter|er2-of/);
    expect(left(['the end of hunt', 'of the broker'], { secrets: ['hunter2-of-the-broker'] })).toEqual([
      'the end of [redacted]',
      'of the broker',
    ]);
  });

  it('hides in all lines what one names as a secret', () => {
    expect(left([{ password: 'hunter2-x' }, 'stack of hunter2-x', { auth: 'required' }, 'required'])).toEqual([
      '{"password":"[redacted]"}',
      'stack of [redacted]',
      '{"auth":"[redacted]"}',
      'required',
    ]);
  });

  it('hides an account number that any other line names, the same one always alike', () => {
    const lines = [
      'position of 70707077',
      { login: 70707077, ticket: 70707077 },
      'order 5 of account 80808',
      'x 80808',
    ];
    expect(left(lines)).toEqual([
      'position of [account 1]',
      '{"login":1,"ticket":1}',
      'order 5 of account [account 2]',
      'x [account 2]',
    ]);
  });

  it.each([
    '{"found_login":70707078}',
    '{"logins":[1,70707078]}',
    '{"headers":{"x-expect-login":"70707078"}}',
    'account_login=70707078',
    'the login is 70707078',
    'logins [70707078]',
    JSON.stringify({ msg: JSON.stringify({ body: JSON.stringify({ login: 70707078 }) }).slice(1) }),
    '<Login>70707078</Login>',
    'GET /accounts/70707078/deals',
    'form login%3D70707078',
    'terminal64.exe /login:70707078',
  ])('hides the account number that %s names', (line) => {
    expect(left([line, 'x 70707078']).join()).not.toContain('70707078');
  });

  it('hides the name of the holder however it is written', () => {
    const texts = left(['of John Smith', 'of JOHN SMITH', 'of john smith'], { holders: ['John Smith'] });
    expect(texts).toEqual(['of [name]', 'of [name]', 'of [name]']);
  });

  it('hides a comment wherever it is repeated', () => {
    const lines = ['the broker changed the comment johns bot', { comment: 'johns bot' }, { comment: '' }];
    expect(left(lines)).toEqual([
      'the broker changed the comment [comment 1]',
      '{"comment":"[comment 1]"}',
      '{"comment":""}',
    ]);
  });

  it('keeps what a report needs', () => {
    const line = {
      ...{
        level: 'INFO',
        time: '2026-11-27T10:00:00.000Z',
        msg: 'order_send',
        symbol: 'EURUSD',
        ticket: 12,
        api_key: 'primary',
      },
      ...{ client_order_id: 'trend-EURUSD-2026-11-27-00001', trace_id: '0af7651916cd43dd8448eb211c80319c', token: 5 },
    };
    expect(left([line])).toEqual([JSON.stringify(line)]);
    const stack = 'Error: x\n    at f (/app/dist/apps/gateway/src/main.js:12:3)';
    expect(left([stack])).toEqual([stack]);
  });
});

describe('the secrets of a gateway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('are those of its settings, of files, of alerts and signals, of addresses and of headers', () => {
    const secrets = secretsOf({
      ...{ API_KEY: 'of-setting', API_KEY_NEXT_FILE: file('key', 'of-file\n'), SOME_TOKEN: 'of-other-variable' },
      ...{
        SIM_PASSWORD: 'simulator',
        LOG_LEVEL: 'DEBUG',
        TERMINAL_SETUP_URL: 'https://u:of-address@host/of-a-path?t=of-query',
      },
      ...{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-header,x=y', CHAT: 'of-channel' },
      SIGNALS_FILE: file('signals.yml', `sources:\n  - {name: a, secret_file: ${file('signal', 'of-signal')}}\n`),
      NOTIFIER_FILE: file('alerts.yml', 'channels:\n  - token_env: CHAT\n    password: "of-mistake"\n'),
    });
    const named = 'setting,file,other-variable,address,a-path,query,header,channel,signal,mistake'.split(',');
    expect(secrets).toEqual(expect.arrayContaining(named.map((name) => `of-${name}`)));
    expect(secrets).not.toContain('simulator');
    expect(secrets).not.toContain('DEBUG');
  });
});

describe('the settings of a report', () => {
  it('show values only where nothing private can be in them', () => {
    const redaction = new Redaction({ ...none, secrets: ['s3cret'] });
    const env = {
      ...{ API_KEY: 's3cret', TERMINAL_PASSWORD_FILE: '/run/s3cret', TERMINAL_LOGIN: '70707077', CUSTOM_USER: 'john' },
      ...{
        TERMINAL_API_PORT: '5002',
        LOG_LEVEL: 'debug',
        MAX_NUM_BARS: 'pasted-s3cret',
        TERMINAL_SERVER: 'Broker-Demo',
      },
      ...{ TERMINAL_SETUP_URL: 'https://host.example/token-4711/setup.exe', STATE_DIR: '/home/john/70707077/state' },
      ...{ ORDER_AUDIT_FILE: '/data/audit-70707077.jsonl', SYMBOL_WHITELIST: 'EURUSD,XAUUSD' },
    };
    expect(reportedSettings(env, (text) => redaction.text(text))).toMatchObject({
      ...{ API_KEY: 'set', TERMINAL_PASSWORD: 'set, by a file', TERMINAL_LOGIN: 'set', CUSTOM_USER: 'set' },
      ...{
        TERMINAL_API_PORT: '5002',
        LOG_LEVEL: 'debug',
        MAX_NUM_BARS: 'set, not valid',
        TERMINAL_SERVER: 'Broker-Demo',
      },
      ...{ TERMINAL_SETUP_URL: 'https://host.example/[redacted]', STATE_DIR: '…/state' },
      ...{ ORDER_AUDIT_FILE: '…/audit-[digits].jsonl', SYMBOL_WHITELIST: 'EURUSD,XAUUSD', API_KEY_NEXT: 'default' },
    });
  });
});
