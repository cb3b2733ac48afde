import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';
import { configuration, DaemonProgram, strategyFile } from '../e2e/daemon/daemon-program';

const startMs = Date.UTC(2023, 1, 1, 10);
/** Minutes of the prices; live, one passes in a second. The market is closed for some minutes at a time, again and again. */
const [minutes, closedEvery, closedFor] = [180, 20, 4];

describe('an exit that the broker refuses', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('is sent again in a backtest as by the daemon: the strategy receives the same', async () => {
    const folder = scratch.folder();
    const prices = join(folder, 'eurusd.csv');
    writeFileSync(prices, stillMarket());
    const symbols = join(folder, 'symbols.json');
    writeFileSync(symbols, JSON.stringify({ symbols: [{ name: 'EURUSD', market: { schedule: schedule() } }] }));
    const broker = { SIM_HOURS: 'market', SIM_SYMBOLS: symbols };
    const module = strategyFile(
      folder,
      'leaves',
      `if (trade.warmingUp) return;
       // Minutes since the market closed, at the close of the bar.
       const closed = (bar.timeMs / 60_000 + 1) % ${closedEvery};
       if (step === 0 && closed === ${closedEvery - 4}) step++;
       else if (step > 0) step++;
       if (step === 1) { trade.buy('main', { volume: 0.2 }); trade.sell('main', { volume: 0.1 }); }
       const position = (volume: number) => trade.positions('main').find((one) => one.volume === volume)!;
       if (step === 5) { trade.close(position(0.2)); trade.closePart(position(0.1), 0.05); }
       if (step === 6) {
         trade.log('heard in flight ' + trade.inFlight);
         trade.buy('main', { volume: 0.1 });
         trade.closePart(position(0.2), 0.1);
         trade.closePart(position(0.1), 0.2);
       }
       if (step === 17) trade.log('heard all of it, in flight ' + trade.inFlight);`,
      `onReject: (reject, trade) => trade.log(
         'heard ' + reject.kind + ' ' + reject.reason.replace(/\\d{6,}/, '#') + ' ' + reject.retcode),
       onFill: (fill, trade) => trade.log('heard ' + fill.entry + ' ' + fill.volume + ' ' + (fill.intentId !== null)),`,
      'let step = 0;',
    );
    const backtested = await heardInBacktest(folder, module, prices, broker);
    expect(backtested).toEqual([
      'heard in 0.2 true',
      'heard in 0.1 true',
      'heard in flight 2',
      'heard denied the outcome of an earlier request is unknown null',
      'heard denied an earlier close of position # is still in flight null',
      'heard denied an earlier close of position # is still in flight null',
      'heard out 0.2 true',
      'heard out 0.05 true',
      'heard all of it, in flight 0',
    ]);
    // Both closes are sent side by side: live, either may be filled first.
    expect(exitsSorted(await heardLive(folder, module, prices, broker))).toEqual(exitsSorted(backtested));
  });

  async function heardLive(
    folder: string,
    module: string,
    prices: string,
    broker: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> {
    const gateway = await GatewayProgram.startReady(scratch, {
      ...broker,
      ...{ SIM_FEED: `replay:${prices}`, SIM_SPEED: '60', SIM_REPLAY_WARMUP_BARS: '10', SIM_BALANCE: '10000' },
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const config = configuration(folder, gateway.url, [{ name: 'leaves', module }]);
    const stateDir = join(folder, 'state');
    const daemon = await DaemonProgram.start(scratch, { config, stateDir, env: { API_KEY: gateway.key } });
    const { lines } = await daemon.until<{ readonly lines: readonly string[] }>('/logs/leaves?lines=500', (body) =>
      body.lines.some((line) => line.includes('heard all')),
    );
    const { orders } = await daemon.status('leaves');
    expect(orders).toMatchObject({ rejected: 0, denied: 3, unknown: 0 });
    await daemon.stop();
    return lines.flatMap(heardIn);
  }
});

async function heardInBacktest(
  folder: string,
  module: string,
  prices: string,
  broker: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const out = join(folder, 'out.json');
  const program = new StartedProgram({
    command: process.execPath,
    args: [join(repository, 'dist/apps/daemon/src/main.js'), 'backtest', module, '--data', prices, '--out', out],
    env: { ...bareEnvironment(), ...broker },
  });
  expect([await program.exitCode(), program.output]).toEqual([0, expect.stringMatching(/^net profit +-?\d/m)]);
  const { logs } = JSON.parse(readFileSync(out, 'utf8')) as { readonly logs: readonly { readonly message: string }[] };
  return logs.flatMap(({ message }) => heardIn(message));
}

/** The same lines, with the fills of exits in a fixed order. */
function exitsSorted(lines: readonly string[]): readonly string[] {
  const exits = lines.filter((line) => line.startsWith('heard out ')).sort();
  return lines.map((line) => (line.startsWith('heard out ') ? (exits.shift() ?? line) : line));
}

/** What the strategy logged of what it received. */
function heardIn(line: string): readonly string[] {
  const [, text] = /(heard [^"]*)/.exec(line) ?? [];
  return text === undefined ? [] : [text];
}

/** Each day, with the breaks. */
function schedule(): object {
  const breaks = Array.from({ length: 1_440 / closedEvery }, (_, index) => index * closedEvery);
  const days = [0, 1, 2, 3, 4, 5, 6];
  const sessions = days.flatMap((day) => {
    return breaks.map((from) => ({ day, from: from + closedFor, to: from + closedEvery }));
  });
  return { zone: 'UTC', sessions };
}

/** Ticks of one price, four a minute. */
function stillMarket(): string {
  const times = Array.from({ length: minutes * 4 }, (_, index) => new Date(startMs + index * 15_000).toISOString());
  return `timestamp,bid,ask\n${times.map((time) => `${time.replace('Z', '+00:00')},1.10000,1.10010`).join('\n')}\n`;
}
