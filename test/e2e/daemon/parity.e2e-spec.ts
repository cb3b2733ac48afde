import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { GatewayProgram } from '../programs/gateway-program';
import { describeWith } from '../programs/needs';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram } from './daemon-program';

jest.setTimeout(180_000);

const recorded = (side: string): string => join(repository, `../shared/data/gbpusd-m1-${side}-2012-02.csv`);
const strategy = join(repository, 'strategies/ema-cross.ts');
const params = { fast: 3, slow: 8, volume: 0.1 };

interface Deal {
  readonly type: number;
  readonly entry: number;
  readonly price: number;
  readonly profit: number;
}

describeWith(recorded('bid'), recorded('ask'))('a backtest (../shared/data)', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('makes the very trades of the daemon through the gateway over the same prices', async () => {
    const folder = scratch.folder();
    const files = ['bid', 'ask'].map((side) => {
      const slice = join(folder, `gbpusd-m1-${side}.csv`);
      writeFileSync(slice, `${readFileSync(recorded(side), 'utf8').split('\n').slice(0, 571).join('\n')}\n`);
      return slice;
    });
    const gateway = await GatewayProgram.startReady(scratch, {
      SIM_FEED: `replay:${files.join(',')}`,
      SIM_SPEED: '90',
    });
    const daemon = await DaemonProgram.start(scratch, {
      config: configuration(folder, gateway.url, [
        { name: 'ema', module: strategy, magic: 7, symbol: 'GBPUSD', more: { params } },
      ]),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
    await daemon.untilStatus('ema', ({ state }) => state === 'running');
    await gateway.until('/fetch_data_pos?symbol=GBPUSD&timeframe=M1&num_bars=1', ({ text }) => /T11:2[89]/.test(text));
    const { body } = await gateway.call('/history_deals_range?from_date=2012-01-31&to_date=2012-02-20&magic=7');
    const live = (body['data'] as Deal[]).map(({ type, entry, price, profit }) => ({ type, entry, price, profit }));

    const [out, html] = [join(folder, 'backtest.json'), join(folder, 'backtest.html')];
    const program = new StartedProgram({
      command: process.execPath,
      args: [
        ...[join(repository, 'dist/apps/daemon/src/main.js'), 'backtest', strategy, '--data', files.join(',')],
        ...['--params', JSON.stringify(params), '--out', out, '--html', html],
      ],
      env: bareEnvironment(),
    });
    expect(await program.exitCode()).toBe(0);
    expect(program.output).toMatch(/^FIGURE +VALUE\nbars +\d+\ntrades +\d+/);
    expect(readFileSync(html, 'utf8')).toMatch(/<svg[^]*<\/html>/);
    expect(readFileSync(html, 'utf8')).not.toMatch(/(src|href)=/);
    const { trades } = JSON.parse(readFileSync(out, 'utf8')) as {
      trades: readonly { side: string; entryPrice: number; exitPrice: number; realized: number }[];
    };
    const closed = live.flatMap(({ entry, price, profit }, index) => {
      const opening = live[index - 1];
      if (entry !== 1 || !opening) return [];
      return [
        { side: opening.type === 0 ? 'buy' : 'sell', entryPrice: opening.price, exitPrice: price, realized: profit },
      ];
    });
    expect(closed.length).toBeGreaterThan(5);
    const backtested = trades.map(({ side, entryPrice, exitPrice, realized }) => ({
      side,
      entryPrice,
      exitPrice,
      realized,
    }));
    // The daemon joins a little after the replay begins and is looked at a little before its end; none in between differs.
    const joined = backtested.findIndex(({ entryPrice }) => entryPrice === closed[0]?.entryPrice);
    expect(joined).toBeLessThan(3);
    expect(backtested.slice(joined, joined + closed.length)).toEqual(closed);
    expect(joined + closed.length).toBeGreaterThan(backtested.length - 3);
  });
});
