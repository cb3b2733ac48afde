import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';

const main = join(repository, 'dist/apps/daemon/src/main.js');
const page = readFileSync(join(repository, 'docs/data.md'), 'utf8');
const dayMs = 86_400_000;
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
const commandsWith = (text: string): string => blocks.find((code) => code.includes(text)) ?? '';

describe('daemon data', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const run = (args: readonly string[]) =>
    spawnSync(process.execPath, [main, 'data', ...args], { env: bareEnvironment(), encoding: 'utf8' });

  it('docs/data.md: its check of generated prices finds them sound', () => {
    const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commandsWith('npm run prices')], {
      ...{ cwd: repository, env: { ...bareEnvironment(), npm_config_loglevel: 'silent' }, encoding: 'utf8' },
    });
    expect(shell).toMatchObject({ status: 0 });
    expect(shell.stdout).toMatch(/^gbpusd-m1-ask-2023-02\.csv +GBPUSD +M1 bars +\d+ .* 0 +0 +0 +\d+ +0 +0$/m);
  });

  it('docs/data.md: its commands pull bars and a symbol of a gateway for a backtest; a killed pull is continued', async () => {
    // By observation the gateway finds the zone only after some quotes.
    const zone = { TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };
    const gateway = await GatewayProgram.startReady(scratch, zone);
    const folder = scratch.folder();
    for (const name of ['dist', 'strategies']) symlinkSync(join(repository, name), join(folder, name));
    const env = { ...bareEnvironment(), API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port };
    const config = ['--config', 'strategies/demo.yaml', '--json'];
    const daemon = (args: readonly string[]) =>
      spawnSync(process.execPath, [main, ...args], { cwd: folder, env, encoding: 'utf8' });
    const nowMs = Date.now();
    const ago = (ms: number): string => `${new Date(nowMs - ms).toISOString().slice(0, 16)}Z`;

    const script = commandsWith('data pull').replace('2024-01-01', ago(dayMs));
    const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      ...{ cwd: folder, env, encoding: 'utf8' },
    });
    expect(shell).toMatchObject({ status: 0, stderr: expect.stringMatching(/^asks come from ticks .*\n$/) });
    expect(shell.stdout).toMatch(
      /^added \d+ bars of EURUSD, [1-9]\d* of them with the asks of their ticks; the store /,
    );
    expect(shell.stdout).toMatch(/^net profit /m);

    const ask = join(folder, 'prices/eurusd-m1-ask-from-ticks.csv');
    const rows = readFileSync(ask, 'utf8').split('\n').length - 2;
    expect(rows).toBeGreaterThanOrEqual(1_439);
    // As a kill leaves it.
    writeFileSync(ask, readFileSync(ask, 'utf8').slice(0, -1_000));
    const again = daemon(['data', 'pull', 'demo:EURUSD@M1', '--from', ago(dayMs), ...config]);
    expect(again).toMatchObject({ status: 0, stderr: '' });
    const { added, files } = JSON.parse(again.stdout) as { added: number; files: readonly string[] };
    expect(added).toBeGreaterThan(10);
    expect(added).toBeLessThan(rows / 2);
    const checks = JSON.parse(daemon(['data', 'check', ...files, '--json']).stdout) as readonly { rows: number }[];
    expect(checks).toMatchObject([
      { isSound: true, faults: { missing: 0 } },
      { isSound: true, faults: { missing: 0 } },
    ]);
    expect(checks[0]?.rows).toBeGreaterThanOrEqual(rows);
    expect(JSON.parse(readFileSync(join(folder, 'prices/eurusd-bars.json'), 'utf8'))).toMatchObject({
      asks: expect.stringContaining('the ticks of each bar'),
    });

    const ticks = daemon(['data', 'pull', 'demo:EURUSD', '--ticks', '--from', ago(dayMs / 24), ...config]);
    expect((JSON.parse(ticks.stdout) as { added: number }).added).toBeGreaterThan(100);

    const [spec] = (JSON.parse(readFileSync(join(folder, 'symbols.json'), 'utf8')) as { symbols: object[] }).symbols;
    writeFileSync(join(folder, 'symbols.json'), JSON.stringify({ symbols: [{ ...spec, name: 'MYUSD' }] }));
    const backtest = ['backtest', 'strategies/ema-cross.ts', '--data', files.map((file) => `MYUSD=${file}`).join(',')];
    const unknown = daemon(backtest);
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('no specification of MYUSD') });
    const known = daemon([...backtest, '--symbols', 'symbols.json', '--json']);
    expect(JSON.parse(known.stdout)).toMatchObject({ strategy: { streams: { main: 'MYUSD@M1' } } });
  });

  it('check ends with 1 for a file that a backtest refuses, which takes it with --accept-faulty', () => {
    const folder = scratch.folder();
    const [bid, ask] = priceFiles.map((path, index) => {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, 300);
      if (index === 1) lines[200] = lines[199] ?? '';
      const target = join(folder, path.split('/').at(-1) ?? '');
      writeFileSync(target, `${lines.join('\n')}\n`);
      return target;
    });
    const files = `${bid},${ask}`;
    const check = run(['check', files, '--json']);
    expect(check.status).toBe(1);
    expect(JSON.parse(check.stdout)).toMatchObject([{ isSound: true }, { isSound: false, faults: { duplicate: 1 } }]);
    const backtest = (more: readonly string[]) =>
      spawnSync(
        process.execPath,
        [main, 'backtest', join(repository, 'strategies/ema-cross.ts'), '--data', files, ...more],
        {
          ...{ env: bareEnvironment(), encoding: 'utf8' },
        },
      );
    expect(backtest([])).toMatchObject({ status: 1, stderr: expect.stringContaining('line 201 has the time of') });
    expect(backtest(['--accept-faulty']).stdout).toMatch(/^faulty +GBPUSD: 1 row was skipped$/m);
  });

  it('docs/data.md: its imports, also of days and of Parquet, make files that the check finds sound', () => {
    const folder = scratch.folder();
    symlinkSync(join(repository, 'dist'), join(folder, 'dist'));
    const script = ['minutes.csv', 'daily.csv', 'data export'].map(commandsWith).join('');
    const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      ...{ cwd: folder, env: bareEnvironment(), encoding: 'utf8' },
    });
    expect(shell).toMatchObject({ status: 0, stderr: 'note: daily.csv: left out the column adj close\n' });
    expect(shell.stdout).toContain(
      'imported 2 M1 bars of EURUSD, from 2024-01-09T12:00:00.000Z to 2024-01-09T12:01:00.000Z',
    );
    expect(shell.stdout).toMatch(/^eurusd-m1-bid\.csv +EURUSD +M1 bars +2 /m);
    expect(shell.stdout).toMatch(/^eurusd-d1-bid\.csv +EURUSD +D1 bars +3 /m);
    const [direct, packed] = ['prices', 'prices/parquet'].map((store) =>
      readFileSync(join(folder, store, 'eurusd-m1-bid.csv'), 'utf8'),
    );
    expect(packed?.split('\n')).toHaveLength(4);
    expect(packed).toBe(direct?.replaceAll('1.09530', '1.0953').replaceAll('1.09510', '1.0951'));
    const all = run(['import', 'minutes.csv', '--spread', 'x', '--zone', 'Mars']);
    expect(all.status).toBe(2);
    expect(all.stderr.split('\n')).toHaveLength(5);
    const gone = run(['import', 'gone.csv', '--symbol', 'EURUSD', '--digits', '5', '--store', folder]);
    expect(gone).toMatchObject({ status: 1, stderr: expect.stringContaining('gone.csv: cannot be read') });
  });

  it('names the nearest command for a word that is none', () => {
    expect(run(['chekc'])).toMatchObject({ status: 2, stderr: 'daemon data has no chekc; did you mean check?\n' });
  });
});
