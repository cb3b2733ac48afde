import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Decimal } from 'decimal.js';
import { htmlPicture } from '../e2e/console/console-browser';
import { DaemonProgram, type StatusBody } from '../e2e/daemon/daemon-program';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { LauncherProgram } from '../e2e/programs/launcher-program';
import { priceFiles } from '../e2e/programs/prices';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository } from '../e2e/programs/started-program';

const speed = '20000';
const bars = 2_500;
const warmupBars = 500;
const magic = 41_002;

interface Deal {
  readonly profit: number;
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
}

/** The first days of the month, in files of their own. */
function sliceOf(folder: string): string[] {
  return priceFiles.map((path) => {
    const rows = readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, bars + 1);
    const file = join(folder, basename(path));
    writeFileSync(file, `${rows.join('\n')}\n`);
    return file;
  });
}

const sum = (amounts: readonly number[]): Decimal =>
  amounts.reduce((total, amount) => total.plus(amount), new Decimal(0));

describe('days of GBPUSD, replayed', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('trades the EMA strategy, whose results are the change of the balance and the deals of /reconcile, to the cent', async () => {
    const files = sliceOf(scratch.folder());
    const gateway = await GatewayProgram.startReady(scratch, {
      SIM_FEED: `replay:${files.join(',')}`,
      // The replay does not wait for the daemon, which takes some seconds to start.
      SIM_SPEED: '5000',
      SIM_REPLAY_WARMUP_BARS: String(warmupBars),
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const balance = async (): Promise<number> => (await gateway.call('/account')).body.balance as number;
    const before = await balance();
    const config = join(repository, 'strategies/replay.yaml');
    const stateDir = scratch.folder();
    const env = { API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port };
    const daemon = await DaemonProgram.start(scratch, { config, stateDir, env });
    await gateway.until('/symbol_info_tick/GBPUSD', ({ body }) => body.time_utc === lastQuoteOf(files[0] ?? ''));
    const settled = await closedBooks(daemon);

    expect(settled.missedBars).toBe(0);
    expect(settled.trades).toBeGreaterThan(20);
    const { body } = await gateway.call(`/reconcile?magic=${magic}&lookback_hours=744`);
    const deals = body.deals as Deal[];
    expect(deals).toHaveLength(settled.trades);
    const earned = sum(deals.flatMap(({ profit, commission, swap, fee }) => [profit, commission, swap, fee]));
    const change = new Decimal(await balance()).minus(before);
    expect(earned.toFixed(2)).toBe(change.toFixed(2));
    expect(new Decimal(settled.realized).toFixed(2)).toBe(change.toFixed(2));
    expect(change.isZero()).toBe(false);
    expect(body).toMatchObject({ unresolved: [], differences: [] });

    const html = join(scratch.folder(), 'live.html');
    const main = join(repository, 'dist/apps/daemon/src/main.js');
    const line = [main, 'report', 'ema-gbpusd', '--config', config, '--state-dir', stateDir, '--days', '3'];
    const report = spawnSync(process.execPath, [...line, '--html', html], {
      ...{ env: { ...bareEnvironment(), ...env }, encoding: 'utf8' },
    });
    expect(report.stderr).toBe('');
    expect(readFileSync(html, 'utf8')).toContain('Live: ema-gbpusd');
    await htmlPicture('live-report', { width: 1280, height: 900 }, (page) => page.goto(`file://${html}`));
  });

  it('ends npm start with the sums side by side', async () => {
    const args = ['--replay', ...sliceOf(scratch.folder()), '--speed', speed, '--data-dir', scratch.folder()];
    const { program } = await LauncherProgram.start(scratch, { args });
    expect(await program.exitCode()).toBe(0);
    expect(program.output).toMatch(/Bars missed +0\n/);
    expect(program.output).toMatch(/Speed reached +\d+ times real time/);
    expect(program.output).toContain('The three sums agree to the last digit.');
  });
});

/** Bars whose price goes up and down within two hours; the ask is two points above the bid. */
function wavesOf(folder: string, bars: number): string[] {
  return ['bid', 'ask'].map((side) => {
    const spread = side === 'ask' ? 0.00002 : 0;
    const rows = Array.from({ length: bars }, (_, minute) => {
      const time = new Date(Date.UTC(2024, 0, 16, 8, minute)).toISOString();
      const price = (at: number): number => 0.86 + spread + 0.002 * Math.sin((at * Math.PI) / 60);
      const [open, close] = [price(minute), price(minute + 1)];
      const prices = [open, Math.max(open, close), Math.min(open, close), close].map((value) => value.toFixed(5));
      return [time, ...prices].join(',');
    });
    const file = join(folder, `${side}.csv`);
    writeFileSync(file, `${['timestamp,open,high,low,close', ...rows].join('\n')}\n`);
    return file;
  });
}

describe('a replay by npm start without files', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('trades the generated month', async () => {
    const args = ['--replay', '--speed', speed, '--data-dir', scratch.folder()];
    const { program } = await LauncherProgram.start(scratch, { args });
    await program.line(/^ +2023-02-\d\d \d\d:\d\d +\d+ % +ema-gbpusd running/);
    process.kill(program.pid, 'SIGTERM');
    expect(await program.exitCode()).toBe(0);
  });
});

describe('a replay of another symbol by npm start', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('trades it, a cross in its second currency, and states trades, deals and how late the fills were', async () => {
    const files = wavesOf(scratch.folder(), 1_500).map((file) => `EURGBP=${file}`);
    const { program } = await LauncherProgram.start(scratch, {
      args: ['--replay', ...files, '--speed', '2000', '--data-dir', scratch.folder()],
      env: { SIM_REPLAY_WARMUP_BARS: '200' },
    });
    expect(await program.exitCode()).toBe(0);
    expect(program.output).toMatch(/ema-eurgbp running/);
    expect(program.output).toMatch(/Trades +[1-9]\d* round trips/);
    expect(program.output).toMatch(/Deals +[1-9]\d*, and [1-9]\d* at the broker/);
    expect(program.output).toMatch(/Fills after their signals +\d+ s of market time on average, \d+ s at most/);
    expect(program.output).toContain('The three sums agree to the last digit.');
  });

  it('ends with the reason when the strategy cannot run', async () => {
    const files = wavesOf(scratch.folder(), 1_000).map((file) => `EURGBP=${file}`);
    const { program } = await LauncherProgram.start(scratch, {
      args: ['--replay', ...files, '--data-dir', scratch.folder()],
      env: { DAEMON_CONFIG: join(repository, 'strategies/replay.yaml') },
    });
    expect(await program.exitCode()).toBe(1);
    expect(program.output).toMatch(/The strategy ema-gbpusd failed: .*GBPUSD/);
  });
});

/** The strategy's status once nothing is in flight: twice the same, a second apart. */
function closedBooks(daemon: DaemonProgram): Promise<StatusBody> {
  let last = '';
  let lastMs = 0;
  return daemon.untilStatus('ema-gbpusd', ({ trades, realized, orders, inboundQueueDepth }) => {
    const books = JSON.stringify([trades, realized, orders]);
    if (orders.inFlight + inboundQueueDepth > 0 || books !== last) [last, lastMs] = [books, performance.now()];
    return performance.now() - lastMs > 1_000;
  });
}

/** When the last quote of a file of bars is stamped: a second before its last bar ends. */
function lastQuoteOf(file: string): string {
  const lastRow = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  const openMs = Date.parse((lastRow.split(',')[0] ?? '').replace(' ', 'T'));
  return new Date(openMs + 59_000).toISOString();
}
