import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostEvents } from '../../apps/gateway/src/terminal-host/host-events';

describe('docs/real-terminal.md', () => {
  const page = readFileSync(join(__dirname, '../../docs/real-terminal.md'), 'utf8');
  const table = page.slice(page.indexOf('| `msg` |'), page.indexOf('`GET /health` has the same'));

  it('explains every line that the host logs, and none that it does not', () => {
    const explained = table.split('\n').flatMap((row) => {
      const [, first = ''] = row.split('|');
      return [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    });
    expect(explained.filter((name) => name !== 'msg').sort()).toEqual(Object.keys(hostEvents).sort());
  });

  it('names the version of Wine that the image pins, with each of its parts held at it', () => {
    const dockerfile = readFileSync(join(__dirname, '../../Dockerfile.gateway'), 'utf8');
    const version = /^ARG WINE=(\S+)$/m.exec(dockerfile)?.[1] ?? 'none';
    expect(version).toMatch(/^10\.0\./);
    expect(page).toContain(version);
    const script = readFileSync(join(__dirname, '../../deploy/terminal/install-wine.sh'), 'utf8');
    const parts = [...script.matchAll(/"([a-z0-9:-]+)=\$version"/g)].map(([, part]) => part);
    expect(parts).toEqual(['winehq-stable', 'wine-stable', 'wine-stable-amd64', 'wine-stable-i386:i386']);
    expect(script).toContain(`apt-mark hold ${parts.join(' ')}\n`);
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
