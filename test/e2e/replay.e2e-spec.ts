import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Decimal } from 'decimal.js';
import { DaemonProgram, type StatusBody } from './daemon/daemon-program';
import { GatewayProgram } from './programs/gateway-program';
import { LauncherProgram } from './programs/launcher-program';
import { describeWith } from './programs/needs';
import { Scratch } from './programs/scratch';
import { repository } from './programs/started-program';

// Whole programs start and stop in here.
jest.setTimeout(300_000);

const recorded = (side: string): string => resolve(repository, `../shared/data/gbpusd-m1-${side}-2012-02.csv`);
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

/** The first days of the recorded month, in files of their own. */
function sliceOf(folder: string): string[] {
  return ['bid', 'ask'].map((side) => {
    const rows = readFileSync(recorded(side), 'utf8')
      .split('\n')
      .slice(0, bars + 1);
    const file = join(folder, `gbpusd-${side}.csv`);
    writeFileSync(file, `${rows.join('\n')}\n`);
    return file;
  });
}

const sum = (amounts: readonly number[]): Decimal =>
  amounts.reduce((total, amount) => total.plus(amount), new Decimal(0));

describeWith(recorded('bid'), recorded('ask'))('days of GBPUSD as they were, replayed (../shared/data)', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('trades the EMA strategy, whose results are the change of the balance and the deals of /reconcile, to the cent', async () => {
    const files = sliceOf(scratch.folder());
    const gateway = await GatewayProgram.startReady(scratch, {
      SIM_FEED: `replay:${files.join(',')}`,
      SIM_SPEED: speed,
      SIM_REPLAY_WARMUP_BARS: String(warmupBars),
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const balance = async (): Promise<number> => (await gateway.call('/account')).body.balance as number;
    const before = await balance();
    const daemon = await DaemonProgram.start(scratch, {
      config: join(repository, 'strategies/replay.yaml'),
      stateDir: scratch.folder(),
      env: { API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port },
    });
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
  });

  it('ends npm start with the sums side by side', async () => {
    const args = ['--replay', ...sliceOf(scratch.folder()), '--speed', speed, '--data-dir', scratch.folder()];
    const { program } = await LauncherProgram.start(scratch, { args });
    expect(await program.exitCode()).toBe(0);
    expect(program.output).toMatch(/Bars missed +0\n/);
    expect(program.output).toMatch(/Speed reached +\d+ times real time/);
    expect(program.output).toContain('The three sums agree to the cent.');
  });
});

/** The strategy's status once nothing is on its way any more: twice the same, a second apart. */
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
