import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { configuration, DaemonProgram, strategyFile } from '../e2e/daemon/daemon-program';

/** The operator's limits, for the gateway and for the backtest. */
const limits = { MAX_ORDER_VOLUME: '100', MAX_ORDER_DEVIATION: '30', MAX_OPEN_VOLUME: '95.15' };

/** What the strategy tries, one a bar; each is rejected but for the two orders and the repeated level. */
const steps: readonly string[] = [
  `trade.buy('main', { volume: 0.015 })`,
  `trade.buy('main', { volume: 101 })`,
  `trade.buy('main', { volume: 0.1, deviation: 31 })`,
  `trade.buy('main', { volume: 0.1, sl: 1.10005 })`,
  `trade.sell('main', { volume: 0.1, tp: 1.2 })`,
  `trade.buy('main', { volume: 0.1, sl: 0.000001 })`,
  `trade.buy('main', { volume: 0.1, kind: 'limit', price: 1.2 })`,
  `trade.buy('main', { volume: 0.1, kind: 'limit', price: 0.5 })`,
  `trade.buy('main', { volume: 0.1, kind: 'stop_limit', price: 1.11, stoplimit: 1.12 })`,
  `trade.buy('main', { volume: 95 })`,
  `trade.buy('main', { volume: 0.1, sl: 1.09 })`,
  `trade.buy('main', { volume: 95.1 })`,
  `trade.protect(open(), { sl: 0.000001 })`,
  `trade.protect(open(), { sl: 0 })`,
  `trade.protect(open(), { tp: 1.05 })`,
  `trade.protect(open(), { sl: 1.09 })`,
  `trade.closePart(open(), 0.015)`,
  `trade.closePart(open(), 0.2)`,
  `trade.cancel(open().ticket)`,
  `trade.buy('main', { volume: 0.01, kind: 'limit', price: 1.05 })`,
  `trade.close(trade.orders()[0]!.ticket)`,
];

describe('a backtest', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('rejects the very orders that the gateway rejects, in the same words', async () => {
    const folder = scratch.folder();
    const prices = join(folder, 'eurusd.csv');
    writeFileSync(prices, stillMarket(3 * 60));
    const module = strategyFile(
      folder,
      'tries',
      `if (trade.warmingUp) return;
       const open = () => trade.positions()[0]!;
       const steps = [${steps.map((step) => `() => ${step}`).join(',\n')}];
       const [step] = steps.slice(bars - 1);
       if (step) tried.set(step(), bars - 1);
       if (bars === steps.length + 2) trade.log('all tried');`,
      `onReject: (reject, trade) => trade.log('rejected ' + JSON.stringify(
         [tried.get(reject.intentId), reject.kind, reject.reason.replace(/\\d{6,}/, '#'), reject.retcode])),`,
      'const tried = new Map<string, number>();',
    );
    const backtested = await rejectedInBacktest(folder, module, prices);
    expect(backtested.length).toBeGreaterThan(15);
    expect(await rejectedLive(folder, module, prices)).toEqual(backtested);
  });

  async function rejectedLive(folder: string, module: string, prices: string): Promise<readonly string[]> {
    const gateway = await GatewayProgram.startReady(scratch, {
      ...limits,
      ...{ SIM_FEED: `replay:${prices}`, SIM_SPEED: '60', SIM_REPLAY_WARMUP_BARS: '10', SIM_BALANCE: '10000' },
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const config = configuration(folder, gateway.url, [{ name: 'tries', module }]);
    const stateDir = join(folder, 'state');
    const daemon = await DaemonProgram.start(scratch, { config, stateDir, env: { API_KEY: gateway.key } });
    const { lines } = await daemon.until<{ readonly lines: readonly string[] }>('/logs/tries?lines=500', (body) =>
      body.lines.some((line) => line.includes('all tried')),
    );
    await daemon.stop();
    return lines.flatMap(rejectionIn);
  }
});

async function rejectedInBacktest(folder: string, module: string, prices: string): Promise<readonly string[]> {
  const out = join(folder, 'out.json');
  const program = new StartedProgram({
    command: process.execPath,
    args: [join(repository, 'dist/apps/daemon/src/main.js'), 'backtest', module, '--data', prices, '--out', out],
    env: { ...bareEnvironment(), ...limits },
  });
  expect([await program.exitCode(), program.output]).toEqual([0, expect.stringMatching(/^net profit +-?\d/m)]);
  const { logs } = JSON.parse(readFileSync(out, 'utf8')) as { readonly logs: readonly { readonly message: string }[] };
  return logs.flatMap(({ message }) => rejectionIn(message));
}

/** The step, kind, reason and return code in a line of the log. */
function rejectionIn(line: string): readonly string[] {
  const [, rejection] = /rejected (\[.*\])/.exec(line) ?? [];
  return rejection === undefined ? [] : [rejection];
}

/** Ticks of one price, four a minute. */
function stillMarket(minutes: number): string {
  const startMs = Date.UTC(2023, 1, 1, 10);
  const times = Array.from({ length: minutes * 4 }, (_, index) => new Date(startMs + index * 15_000).toISOString());
  return `timestamp,bid,ask\n${times.map((time) => `${time.replace('Z', '+00:00')},1.10000,1.10010`).join('\n')}\n`;
}
