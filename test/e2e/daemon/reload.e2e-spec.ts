import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

jest.setTimeout(180_000);

interface Report {
  readonly outcome: 'applied' | 'partial' | 'refused';
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly problems: readonly string[];
}
interface ConfigBody {
  readonly config: { readonly loadedAt: string; readonly lastReload: (Report & { readonly at: string }) | null };
}
interface Row {
  readonly name: string;
  readonly state: string;
  readonly port: number;
  readonly uptimeMs: number;
}
interface Position {
  readonly magic: number;
  readonly ticket: number;
  readonly volume: number;
}

const flip = `if (trade.warmingUp) return;
  const [open] = trade.positions();
  if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`;
const buyOnce = `if (!trade.warmingUp && trade.positions().length === 0) trade.buy('main', { volume: 0.1 });`;
const tell = (text: string) => `if (!trade.warmingUp) trade.log('${text} ' + bars);`;

describe('SIGHUP', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let proxy: FaultyProxy;
  let folder: string;
  let daemon: DaemonProgram;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, { SIM_SPEED: '600' });
    proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const write = (strategies: readonly StrategyText[]) => configuration(folder, proxy.url, strategies);
  const module = (onBar: string, name = 'probe') => strategyFile(folder, name, onBar);
  const start = async (strategies: readonly StrategyText[]) => {
    const config = write(strategies);
    daemon = await DaemonProgram.start(scratch, {
      config,
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
    for (const { name } of strategies) await daemon.untilStatus(name, ({ state }) => state === 'running');
  };
  const reload = async (): Promise<Report> => {
    const before = (await daemon.call<ConfigBody>('/health')).body.config.lastReload?.at;
    daemon.program.signal('SIGHUP');
    const isNew = ({ config }: ConfigBody): boolean => config.lastReload !== null && config.lastReload.at !== before;
    const { config } = await daemon.until<ConfigBody>('/health', isNew);
    return config.lastReload as Report;
  };
  const rows = async () => (await daemon.call<Row[]>('/list')).body;
  const lines = async (name: string) => (await daemon.call<{ lines: string[] }>(`/logs/${name}`)).body.lines;
  const positions = async () => (await gateway.call('/get_positions')).body['data'] as readonly Position[];
  const untilLine = async (name: string, pattern: RegExp) => {
    while (!(await lines(name)).some((line) => pattern.test(line))) await new Promise((wake) => setTimeout(wake, 50));
  };

  it('starts what was added, and leaves the others alone', async () => {
    const kept = { name: 'kept', module: module(tell('bar'), 'kept') };
    await start([kept]);
    await untilLine('kept', /bar \d/);
    write([{ name: 'fresh', module: module(flip), magic: 41002 }, kept]);
    expect(await reload()).toMatchObject({
      outcome: 'applied',
      added: ['fresh'],
      removed: [],
      changed: [],
      problems: [],
    });
    await daemon.untilStatus('fresh', ({ trades }) => trades >= 2);
    const [fresh, other] = await rows();
    expect([fresh?.name, other?.name]).toEqual(['fresh', 'kept']);
    expect((await fetch(`http://127.0.0.1:${fresh?.port}/health`)).status).toBe(200);
    expect((await lines('kept')).filter((line) => line.includes('running'))).toHaveLength(1);
    const bars = (await lines('kept')).flatMap((line) => / bar (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(bars).toEqual(bars.map((_bar, index) => (bars[0] ?? 0) + index));
  });

  it('stops what was removed, says what it leaves behind, and goes on with it when it comes back', async () => {
    const gone = { name: 'gone', module: module(buyOnce), magic: 41002 };
    // Under the magic of the one that goes: its position must not be a stranger to it.
    const heir = { name: 'heir', module: module(tell('bar'), 'kept'), magic: 41002 };
    const kept = { name: 'kept', module: module(tell('bar'), 'kept') };
    await start([kept, gone]);
    await daemon.untilStatus('gone', (body) => body.positions.length === 1);
    const port = (await rows())[1]?.port;
    write([kept, heir]);
    expect(await reload()).toMatchObject({ outcome: 'applied', removed: ['gone'], added: ['heir'] });
    expect(daemon.program.output).toContain('a removed strategy leaves a position open, unwatched');
    expect((await daemon.call('/status/gone')).status).toBe(404);
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
    expect((await daemon.call('/metrics')).text).not.toContain('strategy="gone"');
    const [position] = await positions();
    await untilLine('heir', /bar 3/);
    expect(await daemon.status('heir')).toMatchObject({ halted: false, positions: [] });
    write([kept, gone]);
    expect(await reload()).toMatchObject({ outcome: 'applied', added: ['gone'], removed: ['heir'] });
    expect(await daemon.status('gone')).toMatchObject({ trades: 1, positions: [{ ticket: position?.ticket }] });
  });

  it('cancels the pending orders of what was removed', async () => {
    const order = `if (!trade.warmingUp && trade.orders().length === 0)
      trade.buy('main', { kind: 'limit', volume: 0.1, price: bar.close * 0.9 });`;
    await start([
      { name: 'kept', module: module(flip, 'kept') },
      { name: 'gone', module: module(order), magic: 41002 },
    ]);
    await daemon.untilStatus('gone', ({ pendingOrders }) => pendingOrders.length === 1);
    write([{ name: 'kept', module: module(flip, 'kept') }]);
    expect(await reload()).toMatchObject({ outcome: 'applied', removed: ['gone'] });
    expect((await gateway.call('/orders')).body['data']).toEqual([]);
  });

  it('swaps what has changed and keeps what it owns, has earned and has counted', async () => {
    const file = join(folder, 'sized.ts');
    writeFileSync(
      file,
      `import { defineStrategy } from '@libs/strategy';
import { IsNumber } from 'class-validator';
class Params { @IsNumber() volume: number = 0.1; }
export default defineStrategy({
  version: 1, params: Params, warmupBars: () => 20,
  create: ({ params }) => ({
    onBar(bar, trade) {
      if (trade.warmingUp) return;
      const [open] = trade.positions();
      if (open) trade.close(open); else trade.buy('main', { volume: params.volume });
    },
  }),
});
`,
    );
    const sized = (volume: number, more: object = {}) => [
      { name: 'sized', module: file, more: { params: { volume }, ...more } },
    ];
    await start(sized(0.1));
    const before = await daemon.untilStatus('sized', ({ trades }) => trades >= 5);
    write(sized(0.3));
    expect(await reload()).toMatchObject({ outcome: 'applied', changed: ['sized'], problems: [] });
    const after = await daemon.untilStatus('sized', ({ lastTrade }) => lastTrade?.['volume'] === 0.3);
    expect(after.trades).toBeGreaterThan(before.trades);
    // Limits and capital move without a new thread.
    write(sized(0.3, { capital: 20_000, risk: { maxOpenPositions: 5, maxDrawdownPct: 30 } }));
    const restarts = (await rows())[0]?.uptimeMs ?? 0;
    expect(await reload()).toMatchObject({ outcome: 'applied', changed: ['sized'] });
    expect((await rows())[0]?.uptimeMs).toBeGreaterThan(restarts);
    write(sized(0.3, { capital: 1_000, risk: { maxOpenPositions: 5, maxDrawdownPct: 30 } }));
    expect(await reload()).toMatchObject({ outcome: 'applied', changed: ['sized'] });
    const { trades } = await daemon.status('sized');
    // Nine tenths of the capital went, and nothing of it was lost by trading: no halt.
    expect(await daemon.untilStatus('sized', (body) => body.trades > trades + 2)).toMatchObject({ halted: false });
    await gateway.call('/kill', { method: 'POST' });
    const last = await daemon.untilStatus('sized', ({ orders }) => orders.blocked > 0 && orders.inFlight === 0);
    expect(last.realized).toBeCloseTo(Number((await gateway.call('/account')).body['balance']) - 10_000, 6);
    expect(last.positions.map(({ ticket }) => ticket)).toEqual((await positions()).map(({ ticket }) => ticket));
  });

  it('does not let go of the old one when the new one is refused', async () => {
    const probe = { name: 'probe', module: module(flip) };
    await start([probe]);
    write([{ ...probe, more: { params: { nonsense: 1 } } }]);
    const report = await reload();
    expect(report).toMatchObject({ outcome: 'partial', changed: [] });
    expect(report.problems).toEqual([expect.stringMatching(/^probe: .*nonsense is no parameter/)]);
    const { trades } = await daemon.status('probe');
    await daemon.untilStatus('probe', (body) => body.trades > trades + 2);
    expect((await daemon.call('/metrics')).text).toContain('daemon_config_last_reload_successful 0');
    write([probe]);
    expect(await reload()).toMatchObject({ outcome: 'applied', changed: [], problems: [] });
  });

  it('takes over another text of the strategy file, but none that does not bundle', async () => {
    const probe = { name: 'probe', module: module(tell('first')) };
    await start([probe]);
    await untilLine('probe', /first \d/);
    writeFileSync(probe.module, 'export default {');
    const broken = await reload();
    expect(broken.problems).toEqual([expect.stringMatching(/^probe: .*probe\.ts:1:/)]);
    const told = (await lines('probe')).length;
    while ((await lines('probe')).length < told + 3) await new Promise((wake) => setTimeout(wake, 50));
    module(tell('second'));
    expect(await reload()).toMatchObject({ outcome: 'applied', changed: ['probe'] });
    await untilLine('probe', /second \d/);
    // Each bar once: the last of the old text and the first of the new one are neighbours.
    const texts = (await lines('probe')).flatMap((line) => / (first|second) \d/.exec(line)?.[1] ?? []);
    expect(texts).toEqual([...texts].sort());
  });

  it('loses no bar and doubles none between the versions, however fast they come', async () => {
    const fast = await GatewayProgram.startReady(scratch, { SIM_SPEED: '1500' });
    proxy.lead(fast.url);
    const file = join(folder, 'witness.ts');
    const writeVersion = (version: number): void =>
      writeFileSync(
        file,
        `import { defineStrategy } from '@libs/strategy';
class Params {}
export default defineStrategy({
  version: ${version}, params: Params, warmupBars: () => 400,
  create: () => ({
    onBar(bar, trade) {
      if (!trade.warmingUp) trade.log('saw ' + bar.timeMs);
    },
  }),
});
`,
      );
    writeVersion(1);
    await start([{ name: 'witness', module: file }]);
    await untilLine('witness', /saw \d/);
    for (let version = 2; version <= 8; version++) {
      writeVersion(version);
      expect(await reload()).toMatchObject({ outcome: 'applied', changed: ['witness'] });
    }
    const { body } = await daemon.call<{ lines: string[] }>('/logs/witness?lines=10000');
    const seen = body.lines.flatMap((line) => / saw (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(seen.length).toBeGreaterThan(20);
    const steps = seen.slice(1).map((timeMs, index) => timeMs - (seen[index] ?? 0));
    // A weekend is no gap.
    expect(steps.filter((ms) => ms !== 60_000 && ms < 40 * 3_600_000)).toEqual([]);
  });

  it('changes nothing for a file that is no configuration, and shows every problem', async () => {
    await start([{ name: 'probe', module: module(flip) }]);
    const loadedAt = (await daemon.call<ConfigBody>('/health')).body.config.loadedAt;
    writeFileSync(join(folder, 'daemon.yaml'), 'gateways: [unclosed');
    expect(await reload()).toMatchObject({ outcome: 'refused', problems: [expect.stringContaining('line')] });
    const document = { gateways: { demo: { url: 'nowhere', apiKeyEnv: 'API_KEY' } }, strategies: [{ nam: 'x' }] };
    writeFileSync(join(folder, 'daemon.yaml'), JSON.stringify(document));
    const { problems } = await reload();
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('did you mean name?')]));
    expect(problems.length).toBeGreaterThan(3);
    write([{ name: 'probe', module: module(flip) }]);
    const moved = configuration(folder, 'http://127.0.0.1:1', [{ name: 'probe', module: module(flip) }]);
    expect(moved).toContain('daemon.yaml');
    expect((await reload()).problems).toEqual([expect.stringMatching(/gateways\.demo\.url has changed: restart/)]);
    expect((await daemon.call<ConfigBody>('/health')).body.config.loadedAt).toBe(loadedAt);
    const { trades } = await daemon.status('probe');
    await daemon.untilStatus('probe', (body) => body.trades > trades + 2);
  });

  it('hands magics over only when the one before has let go of them', async () => {
    const one = { name: 'one', module: module(flip, 'one'), magic: 41001 };
    const two = { name: 'two', module: module(flip, 'two'), magic: 41002 };
    await start([one, two]);
    write([
      { ...one, magic: 41002 },
      { ...two, magic: 41003 },
    ]);
    expect(await reload()).toMatchObject({ outcome: 'applied', changed: ['two', 'one'], problems: [] });
    write([
      { ...one, magic: 41003 },
      { ...two, magic: 41002 },
    ]);
    const { problems } = await reload();
    expect(problems).toEqual(['one: magic 41003 is still that of two', 'two: magic 41002 is still that of one']);
    const before = await daemon.status('one');
    const after = await daemon.untilStatus('one', (body) => body.trades > before.trades + 4);
    expect(after.halted).toBe(false);
  });

  it('puts a removal off while the outcome of a request is unknown', async () => {
    await start([
      { name: 'kept', module: module(tell('bar'), 'kept') },
      { name: 'gone', module: module(buyOnce), magic: 41002 },
    ]);
    await daemon.untilStatus('gone', (body) => body.positions.length === 1);
    proxy.fault = (method, path) =>
      method === 'POST' || /^.(trade_requests|reconcile)/.test(path) ? 'lost-after' : null;
    // Closed by hand: the strategy enters again, and its answer is lost.
    const [position] = await positions();
    await gateway.trade('/close_position', { position: { ticket: position?.ticket } });
    await daemon.untilStatus('gone', ({ orders }) => orders.inFlight === 1);
    write([{ name: 'kept', module: module(tell('bar'), 'kept') }]);
    const report = await reload();
    expect(report).toMatchObject({
      outcome: 'partial',
      removed: [],
      problems: ['gone: the outcome of a request is not known yet'],
    });
    proxy.fault = () => null;
    await daemon.untilStatus('gone', ({ orders, state }) => orders.inFlight === 0 && state === 'running');
    expect(await reload()).toMatchObject({ outcome: 'applied', removed: ['gone'] });
  });

  it('is kept when it comes while the daemon is still starting', async () => {
    const config = write([{ name: 'probe', module: module(flip) }]);
    proxy.fault = (_method, path) => (path === '/account' ? { lateMs: 700 } : null);
    const starting = DaemonProgram.start(scratch, {
      config,
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
    daemon = await starting;
    write([
      { name: 'probe', module: module(flip) },
      { name: 'fresh', module: module(flip, 'fresh'), magic: 41002 },
    ]);
    daemon.program.signal('SIGHUP');
    daemon.program.signal('SIGHUP');
    await daemon.untilStatus('fresh', ({ state }) => state === 'running');
    expect(await daemon.status('probe')).toMatchObject({ state: 'running' });
  });

  it('adds, changes and removes portfolios, their children and gateways', async () => {
    const second = await GatewayProgram.startReady(scratch, { SIM_SPEED: '600' });
    const file = module(flip);
    const child = (alias: string, weight: number, magic: number, broker = 'demo') => {
      return { alias, weight, module: file, magic, streams: { main: `${broker}:EURUSD@M1` } };
    };
    const gatewayOf = (url: string) => ({ url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 });
    const writeBook = (gateways: object, portfolios: readonly object[], strategies: readonly object[] = []) =>
      writeFileSync(join(folder, 'daemon.yaml'), JSON.stringify({ gateways, portfolios, strategies }));
    const kept = { name: 'kept', module: module(tell('bar'), 'kept') };
    await start([kept]);
    const alone = {
      name: 'kept',
      module: kept.module,
      magic: 41001,
      streams: { main: 'demo:EURUSD@M1' },
      capital: 10_000,
    };
    const both = { demo: gatewayOf(proxy.url), other: gatewayOf(second.url) };
    const book = { name: 'book', capital: 1_000, risk: { maxDrawdownPct: 50 } };
    writeBook(both, [{ ...book, children: [child('one', 0.5, 1), child('two', 0.5, 2, 'other')] }], [alone]);
    expect(await reload()).toMatchObject({ outcome: 'applied', added: ['book/one', 'book/two', 'other', 'book'] });
    await daemon.untilStatus('book/two', ({ trades }) => trades >= 2);
    writeBook({ demo: both.demo }, [{ ...book, capital: 100, children: [child('one', 0.5, 1)] }], [alone]);
    const report = await reload();
    expect(report).toMatchObject({ removed: expect.arrayContaining(['book/two', 'other']), problems: [] });
    const status = await daemon.call<{ capital: number; halted: boolean; children: unknown[] }>('/status/book');
    expect(status.body).toMatchObject({ capital: 100, halted: false, children: [{ name: 'book/one', capital: 50 }] });
    expect((await daemon.call<{ gateways: unknown[] }>('/health')).body.gateways).toHaveLength(1);
    expect((await daemon.call('/metrics')).text).not.toContain('daemon_gateway_up{gateway="other"}');
    writeBook({ demo: both.demo }, [], [alone]);
    expect(await reload()).toMatchObject({ outcome: 'applied', removed: ['book/one', 'book'] });
    expect((await rows()).map(({ name }) => name)).toEqual(['kept']);
  });
});
