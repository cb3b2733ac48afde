import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, decimal, flag, integer, list, seconds, text } from './kinds';
import { misspeltSettings, SettingsError, readSettings } from './read-settings';
import { requireWebAddress } from './web-address';
import { settingsMarkdown } from './settings-markdown';

const table = {
  PORT: integer({ meaning: 'Port to listen on.', default: 5001, min: 1, max: 65_535 }),
  BASE_DELAY: seconds({ meaning: 'Seconds to wait.', default: 1.5, min: 0 }),
  RATIO: decimal({ meaning: 'A ratio.', min: 0, max: 1 }),
  KEY: text({ meaning: 'The key.', secret: true, pattern: /^\S+$/, shape: 'a value without spaces' }),
  LEVEL: choice({ meaning: 'Log level.', of: ['DEBUG', 'INFO'], default: 'INFO' }),
  TRADING: flag({ meaning: 'Trade at all.', default: true }),
  SYMBOLS: list({ meaning: 'Symbols.' }),
};

describe('a switch', () => {
  it('is refused with every word that it takes', () => {
    const problem = 'TRADING must be 1/true/yes/on/enabled or 0/false/no/off/disabled';
    expect(() => readSettings(table, { TRADING: 'maybe' })).toThrow(problem);
    expect(readSettings(table, { TRADING: 'Disabled' })).toMatchObject({ TRADING: false });
  });
});

describe('a setting that is the address of a server', () => {
  const address = { URL: text({ meaning: 'A server.', check: requireWebAddress }) };

  it.each(['http://127.0.0.1:5001', 'https://host.example/path/'])('is accepted: %s', (value) => {
    expect(readSettings(address, { URL: value })).toEqual({ URL: value });
  });

  it.each([
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['ftp://host.example', 'must be an http or https URL'],
    ['http://user:pa55@host.example', 'must not contain a user name or password'],
  ])('is refused: %s', (value, problem) => {
    expect(() => readSettings(address, { URL: value })).toThrow(problem);
    expect(() => readSettings(address, { URL: value })).not.toThrow('pa55');
  });
});

describe('readSettings', () => {
  it('uses the default of an unset or empty variable', () => {
    expect(readSettings(table, { PORT: '', SYMBOLS: '' })).toEqual({
      PORT: 5001,
      BASE_DELAY: 1.5,
      RATIO: undefined,
      KEY: undefined,
      LEVEL: 'INFO',
      TRADING: true,
      SYMBOLS: [],
    });
  });

  it('reads each kind', () => {
    const env = {
      PORT: '80',
      BASE_DELAY: '0.25',
      RATIO: '.5',
      KEY: 'k',
      LEVEL: 'debug',
      TRADING: 'Off',
      SYMBOLS: ' A, ,B',
    };
    expect(readSettings(table, env)).toEqual({
      PORT: 80,
      BASE_DELAY: 0.25,
      RATIO: 0.5,
      KEY: 'k',
      LEVEL: 'DEBUG',
      TRADING: false,
      SYMBOLS: ['A', 'B'],
    });
  });

  it('lists all problems at once, by name and without any value', () => {
    const env = { PORT: '70000', BASE_DELAY: 'soonish', RATIO: '1e1', KEY: 'sec ret', LEVEL: 'LOUD', TRADING: 'maybe' };
    let caught: unknown;
    try {
      readSettings(table, env);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(SettingsError);
    const { problems, message } = caught as SettingsError;
    expect(problems.map(({ name }) => name)).toEqual(['PORT', 'BASE_DELAY', 'RATIO', 'KEY', 'LEVEL', 'TRADING']);
    for (const value of Object.values(env)) expect(message).not.toContain(value);
  });

  it.each([
    ['SYMBOLS_LIST', { SYMBOLLIST: 'EURUSD' }, 'SYMBOLLIST'],
    ['SYMBOLS_LIST', { symbols_list: 'EURUSD' }, 'symbols_list'],
    ['MAX_DAILY_LOSS', { MAX_DAYLY_LOSS: '500' }, 'MAX_DAYLY_LOSS'],
    ['MAX_DAILY_LOSS', { MAX_DAILY_LOSSES: '500' }, 'MAX_DAILY_LOSSES'],
  ])('finds that %s is misspelt in %j', (meant, env, name) => {
    const limits = { MAX_DAILY_LOSS: table.RATIO, SYMBOLS_LIST: table.SYMBOLS };
    const found = misspeltSettings(limits, env);
    expect(found).toEqual([{ name, problem: `is not a setting: did you mean ${meant}?` }]);
    expect(JSON.stringify(found)).not.toContain('500');
    // Then the other one is of another program.
    expect(misspeltSettings(limits, { ...env, MAX_DAILY_LOSS: '1', SYMBOLS_LIST: 'X' })).toEqual([]);
  });

  it('leaves names to other programs that are near to a short one', () => {
    expect(misspeltSettings({ LOG_LEVEL: table.SYMBOLS }, { LOGLEVEL: 'INFO', log_level: 'info' })).toEqual([]);
  });

  it('reads a secret, and only a secret, from a file', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'key');
    writeFileSync(file, 'from-file\n');
    expect(readSettings(table, { KEY_FILE: file, PORT_FILE: file })).toMatchObject({ KEY: 'from-file', PORT: 5001 });
    expect(() => readSettings(table, { KEY_FILE: `${file}.gone` })).toThrow(/KEY cannot be read/);
    expect(() => readSettings(table, { KEY_FILE: '/dev/zero' })).toThrow(/KEY cannot be read/);
  });

  it('renders the documentation from the same table', () => {
    const markdown = settingsMarkdown(table);
    expect(markdown).toContain('| `PORT` | integer, 1 to 65535 | `5001` | Port to listen on. |');
    expect(markdown).toContain('| `BASE_DELAY` | seconds, 0 or more | `1.5` | Seconds to wait. |');
    expect(markdown).toContain('Secret (`KEY_FILE`). |');
  });
});
