import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(__dirname, '../..');
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8' });

const prints = `
  const client = new GatewayClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
  client.send({ method: 'POST', path: '/order', body: {} }, 'key').then(({ kind }) => console.log(typeof tradeCalls, kind));
`;

describe('the client as a package of its own', () => {
  const project = mkdtempSync(join(tmpdir(), 'client-package-'));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  beforeAll(() => {
    run(process.execPath, [join(repository, 'scripts/build-client.mjs')], repository);
    const packed = run(
      'npm',
      ['pack', '--silent', '--pack-destination', project],
      join(repository, 'libs/gateway-client'),
    );
    const installed = join(project, 'node_modules/@trading-gateway/client');
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xzf', join(project, packed.trim()), '--strip-components=1', '-C', installed], project);
    symlinkSync(join(repository, 'node_modules/eventsource-parser'), join(project, 'node_modules/eventsource-parser'));
  });

  it('is imported, and answers "unknown" for a gateway that is not there', () => {
    writeFileSync(
      join(project, 'bot.mjs'),
      `import { GatewayClient, tradeCalls } from '@trading-gateway/client';${prints}`,
    );
    expect(run(process.execPath, ['bot.mjs'], project)).toBe('object unknown\n');
  });

  it('is required', () => {
    writeFileSync(
      join(project, 'bot.cjs'),
      `const { GatewayClient, tradeCalls } = require('@trading-gateway/client');${prints}`,
    );
    expect(run(process.execPath, ['bot.cjs'], project)).toBe('object unknown\n');
  });

  it('brings its types', () => {
    const bot = `import { GatewayClient } from '@trading-gateway/client';
      export const client: GatewayClient = new GatewayClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k' });
      // @ts-expect-error a key is a text
      export const wrong = new GatewayClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 7 });
      export const volumes = async (): Promise<number[]> => (await client.reads.positions()).map(({ volume }) => volume);
      // @ts-expect-error a symbol is a text
      export const symbols = async (): Promise<number[]> => (await client.reads.positions()).map(({ symbol }) => symbol);`;
    writeFileSync(join(project, 'bot.mts'), bot);
    writeFileSync(join(project, 'bot.cts'), bot);
    const compiler = join(repository, 'node_modules/typescript/bin/tsc');
    const flags = ['--noEmit', '--strict', '--module', 'node16', '--target', 'es2022', '--types', 'node'];
    const typeRoots = ['--typeRoots', join(repository, 'node_modules/@types')];
    expect(run(process.execPath, [compiler, ...flags, ...typeRoots, 'bot.mts', 'bot.cts'], project)).toBe('');
  });

  it('shows an editor the members of each record, with their units', () => {
    const folder = join(project, 'node_modules/@trading-gateway/client/dist/types');
    const types = (file: string): string => readFileSync(join(folder, file), 'utf8').replace(/\s+/g, ' ');
    expect(types('records.d.ts')).toContain('/** An open position. */ export interface PositionRecord {');
    expect(types('records.d.ts')).toContain('/** Lots. */ readonly volume: number; readonly price_open: number;');
    expect(types('records.d.ts')).toContain('readonly client_order_id: string | null;');
    expect(types('records.d.ts')).not.toContain('readonly type_str');
    expect(types('answers.d.ts')).toContain('/** Ticket of the deal. */ readonly deal?: number | null;');
    const all = readdirSync(folder).map(types).join(' ');
    expect(all).toContain('interface SymbolRecord {');
    expect(all).not.toMatch(/@libs|RecordOf|Fields/);
  });
});
