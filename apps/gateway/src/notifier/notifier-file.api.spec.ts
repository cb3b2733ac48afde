import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../testing/gateway-under-test';
import type { NotifierFile } from './notifier-file';
import { NotifierFileError, readNotifierFile } from './read-notifier-file';

describe('the file of the notifier', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'notifier-'))));
  afterEach(() => removeFolder(folder));

  const read = (text: string, env: Record<string, string> = {}): NotifierFile => {
    const file = join(folder, 'alerts.yaml');
    writeFileSync(file, text);
    return readNotifierFile(file, env);
  };
  const problemsOf = (text: string, env: Record<string, string> = {}): readonly string[] => {
    try {
      read(text, env);
    } catch (error) {
      if (error instanceof NotifierFileError) return error.problems;
      throw error;
    }
    return [];
  };

  it('reads channels with their secrets, and rules with their defaults', () => {
    const secretFile = join(folder, 'token');
    writeFileSync(secretFile, '12:abc\n');
    const file = read(
      `channels:
  ops: { type: webhook, url: 'https://example.com/hook', secret_env: HOOK_SECRET }
  phone: { type: telegram, chat_id: -100123, token_file: ${secretFile} }
  desk: { type: discord, url_env: DISCORD_URL }
  mail: { type: email, host: smtp.example.com, user: me, password_env: MAIL, from: a@example.com, to: [b@example.com] }
rules:
  - { on: trades, channels: [ops], events: [deal], symbols: [EURUSD], magics: [7] }
  - { on: halt, channels: [ops, phone] }
  - { on: drawdown, channels: [phone], from: peak, percent: 5.5, for_seconds: 0 }
  - { on: daily_report, channels: [mail], at: '23:55' }
`,
      { HOOK_SECRET: 's', DISCORD_URL: 'https://discord.example/api/webhooks/1/x', MAIL: 'p' },
    );
    expect(file.channels).toMatchObject([
      { type: 'webhook', name: 'ops', url: 'https://example.com/hook', secret: 's' },
      { type: 'telegram', chatId: '-100123', token: '12:abc', url: 'https://api.telegram.org' },
      { type: 'discord', url: 'https://discord.example/api/webhooks/1/x' },
      { type: 'email', port: 587, security: 'starttls', user: 'me', password: 'p', to: ['b@example.com'] },
    ]);
    expect(file.rules).toMatchObject([
      { on: 'trades', events: ['deal'], actions: expect.not.arrayContaining(['changed']), magics: [7] },
      { on: 'halt', channels: ['ops', 'phone'], forMs: 0, maxPerHour: 12 },
      { on: 'drawdown', from: 'peak', percent: 5.5, forMs: 0 },
      { on: 'daily_report', atMinute: 23 * 60 + 55 },
    ]);
  });

  it('has a queue for each recipient of an e-mail channel, and the rules name all of them', () => {
    const mail = 'type: email, host: h, from: f@example.com';
    const file = read(`channels:
  mail: { ${mail}, to: [a@example.com, b@example.com, a@example.com] }
  other: { ${mail}, to: [c@example.com] }
rules:
  - { on: halt, channels: [other, mail] }
  - { on: trades, channels: [other] }
`);
    const to = ['a@example.com', 'b@example.com'];
    expect(file.channels).toMatchObject([
      { name: 'mail', to, recipient: 'a@example.com' },
      { name: 'mail.2', to, recipient: 'b@example.com' },
      { name: 'other', recipient: 'c@example.com' },
    ]);
    expect(file.rules).toMatchObject([{ channels: ['other', 'mail', 'mail.2'] }, { channels: ['other'] }]);
  });

  it('refuses an entry of recipients that has several addresses, or none', () => {
    const to = ['a@example.com, b@example.com', 'a@example.com b@example.com', 'all: a@x.com, b@x.com;', 'desk', ' '];
    const fine = ['a@example.com', '"Doe, John" <john@example.com>', 'Desk <desk@example.com>'];
    const file = (list: readonly string[]): string => `channels:
  mail: { type: email, host: h, from: f@example.com, to: ${JSON.stringify(list)} }
rules:
  - { on: halt, channels: [mail] }
`;
    expect(problemsOf(file([...fine, ...to]))).toEqual(
      [3, 4, 5, 6, 7].map((index) => `channels.mail.to[${index}] must be one e-mail address`),
    );
    expect(read(file(fine)).channels).toMatchObject(fine.map((recipient) => ({ recipient })));
  });

  it('lists every problem at once, and no secret', () => {
    const secret = 'correct horse battery';
    const problems = problemsOf(
      `channels:
  ops: { type: webhook, url: 'ftp://example.com', secret: ${secret} }
  phone: { type: telegram, chat_id: 5, token_env: TOKEN }
  desk: { type: discord, url_env: DISCORD_URL }
  mail: { type: email, host: h, from: f, to: [], password_file: ${folder}/none, port: 99999 }
  fax: { type: fax }
rules:
  - { on: trades, channels: [op], events: [fill], magics: [x] }
  - { on: drawdown, channels: [ops] }
  - { on: daily_report, channels: [ops], at: '24:00' }
  - { on: weather, channels: [ops] }
  - { on: halt, chanels: [ops] }
`,
      { TOKEN: `${secret} with spaces`, DISCORD_URL: secret },
    );
    expect(problems).toEqual([
      'channels.ops.secret must not be in this file: use secret_env or secret_file',
      'channels.ops.url must be an http or https URL',
      'channels.ops.secret_env or secret_file must name the secret, exactly one of them',
      'channels.phone.token must be a bot token',
      'channels.desk.url must be an http or https URL',
      'channels.mail.to must list at least one address',
      'channels.mail.user must be set, because there is a password',
      'channels.mail.port must be a number, 1 to 65535',
      'channels.fax.type must be one of webhook, telegram, discord, email',
      'rules[0].channels names op, which is not a channel',
      'rules[0].events must be a list of some of position, order, deal, signal',
      'rules[0].magics must be a list of integers',
      'rules[1].percent must be a number, 0.01 to 100',
      'rules[2].at must be a time of the broker, such as "23:55"',
      'rules[3].on must be one of trades, halt, terminal, storage, unknown_outcome, difference, signals, drawdown, daily_report',
      'rules[4].chanels is not a known setting; did you mean channels?',
      'rules[4].channels must list at least one channel',
    ]);
    expect(problems.join()).not.toContain(secret);
  });

  it.each([
    ['channels: [', /flow/i],
    ['{}', /channels must name at least one channel/],
    ['just a text', /must be a mapping/],
  ])('refuses %j', (text, problem) => {
    expect(problemsOf(text).join('\n')).toMatch(problem);
  });

  it('names a file that does not exist', () => {
    expect(() => readNotifierFile(join(folder, 'none.yaml'), {})).toThrow(
      /NOTIFIER_FILE .*none\.yaml:\n {2}cannot be read: .*ENOENT/,
    );
  });
});
