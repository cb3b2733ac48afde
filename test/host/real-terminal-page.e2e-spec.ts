import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOST_EVENTS } from '../../apps/gateway/src/terminal-host/host-events';

describe('docs/real-terminal.md', () => {
  const page = readFileSync(join(__dirname, '../../docs/real-terminal.md'), 'utf8');
  const table = page.slice(page.indexOf('| `msg` |'), page.indexOf('`GET /health` has the same'));

  it('explains every line that the host logs, and none that it does not', () => {
    const explained = table.split('\n').flatMap((row) => {
      const [, first = ''] = row.split('|');
      return [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    });
    expect(explained.filter((name) => name !== 'msg').sort()).toEqual(Object.keys(HOST_EVENTS).sort());
  });

  it('names every setting of the host', () => {
    const settings = [
      'TERMINAL_ENABLE_ALGO_TRADING',
      'TERMINAL_SERVER_ADDR',
      'TERMINAL_AUTORESOLVE',
      'TERMINAL_RESOLVER_URL',
      'TERMINAL_SETUP_URL',
      'TERMINAL_SETUP_SHA256',
      'TERMINAL_SETUP_ATTEMPTS',
      'TERMINAL_SETUP_TIMEOUT',
      'TERMINAL_LOGIN_FIRST_TRIES',
      'TERMINAL_LOGIN_TRIES',
      'CUSTOM_USER',
      'PASSWORD',
    ];
    expect(settings.filter((name) => !page.includes(name))).toEqual([]);
  });
});
