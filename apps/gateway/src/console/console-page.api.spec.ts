import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import pino from 'pino';
import { mountConsole } from './console-page';

const root = join(__dirname, '../../../..');
const silent = pino({ level: 'silent' });

describe('the page of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-page-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => {
    for (const file of ['index.html', 'console.js', 'console.css']) writeFileSync(join(folder, file), file);
  });
  const server = (CONSOLE: boolean, from = folder): FastifyInstance => {
    const app = fastify();
    mountConsole(app, { CONSOLE }, silent, from);
    return app;
  };

  it.each([
    ['/console', 'index.html', 'text/html'],
    ['/console/console.js', 'console.js', 'text/javascript'],
    ['/console/console.css', 'console.css', 'text/css'],
  ])('has %s with the policy of the page', async (url, body, type) => {
    const { statusCode, headers, payload } = await server(true).inject(url);
    expect([statusCode, payload]).toEqual([200, body]);
    expect(headers['content-type']).toContain(type);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('contains the license of each package in its script', () => {
    const target = mkdtempSync(join(tmpdir(), 'console-built-'));
    const bundle = `import('./scripts/console-page.mjs').then((page) => page.writeConsolePage(${JSON.stringify(root)}, ${JSON.stringify(target)}))`;
    execFileSync(process.execPath, ['-e', bundle], { cwd: root });
    const script = readFileSync(join(target, 'console.js'), 'utf8');
    rmSync(target, { recursive: true });
    for (const holder of ['Leon Sorokin', 'Jason Miller', 'Preact Team']) {
      expect(script).toMatch(new RegExp(`Copyright \\(c\\) [^\\n]+ ${holder}\\n`));
    }
  });

  it('accepts a final slash', async () => {
    const { statusCode, headers } = await server(true).inject('/console/');
    expect([statusCode, headers.location]).toEqual([308, '../console']);
  });

  it('has nothing else', async () => {
    for (const url of ['/console//', '/console/main.tsx', '/console/../package.json']) {
      expect((await server(true).inject(url)).statusCode).toBe(404);
    }
  });

  it('is left out by CONSOLE=0', async () => {
    expect((await server(false).inject('/console')).statusCode).toBe(404);
  });

  it('is left out of a build without it, with no file of it served', async () => {
    rmSync(join(folder, 'console.css'));
    const incomplete = server(true);
    for (const url of ['/console', '/console/console.js']) {
      expect((await incomplete.inject(url)).statusCode).toBe(404);
    }
  });
});
