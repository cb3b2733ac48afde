import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from './daemon-program';

/** Adds, adds, reduces, reverses, adds to that, and closes: round and round. */
const round = `if (trade.warmingUp) return;
  const steps = [
    () => trade.buy('main', { volume: 0.1 }),
    () => trade.buy('main', { volume: 0.2 }),
    () => trade.sell('main', { volume: 0.1 }),
    () => trade.sell('main', { volume: 0.4 }),
    () => trade.sell('main', { volume: 0.1 }),
    () => trade.closePart(trade.position('main') ?? 0, 0.1),
    () => trade.close(trade.position('main') ?? 0),
  ];
  steps[(bars - 1) % steps.length]?.();`;

describe('on a netting account', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, { ...fastMarket(), SIM_MARGIN_MODE: 'netting' });
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const start = (strategies: readonly StrategyText[]) =>
    DaemonProgram.start(scratch, {
      config: configuration(folder, gateway.url, strategies),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
  const module = (onBar: string, more = '') => strategyFile(folder, 'probe', onBar, more);

  it('a strategy adds to, reduces, reverses and closes its position, to the cent over a kill -9', async () => {
    const strategies = [{ name: 'probe', module: module(round) }];
    let daemon = await start(strategies);
    await daemon.untilStatus('probe', ({ trades }) => trades >= 16);
    await daemon.kill();
    daemon = await start(strategies);
    await daemon.untilStatus('probe', ({ trades }) => trades >= 32);
    await gateway.call('/kill', { method: 'POST' });
    await daemon.untilStatus('probe', ({ orders }) => orders.blocked >= 1 && orders.inFlight === 0);
    const status = await daemon.status('probe');
    const { balance } = (await gateway.call('/account')).body as { balance: number };
    expect(status).toMatchObject({ halted: false, orders: { rejected: daemon.voided } });
    expect(new Decimal(status.realized).toFixed(2)).toBe(new Decimal(balance).minus(10_000).toFixed(2));
    const { data } = (await gateway.call('/get_positions')).body as { data: { ticket: number; volume: number }[] };
    expect(status.positions.map(({ ticket, volume }) => [ticket, volume])).toEqual(
      data.map(({ ticket, volume }) => [ticket, volume]),
    );
  });

  it('two strategies do not share a symbol, and the check says so before', async () => {
    const two = [
      { name: 'a', module: module(round) },
      { name: 'b', module: module(round), magic: 41_002 },
      { name: 'c', module: module(''), magic: 41_003, symbol: 'GBPUSD' },
    ];
    const daemon = await start(two);
    await daemon.untilStatus('c', ({ state }) => state === 'running');
    const problem = 'demo is a netting account: EURUSD would share one position with';
    for (const [name, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const status = await daemon.untilStatus(name, ({ state }) => state === 'failed');
      expect(status.problem).toBe(`${problem} ${other}`);
    }
    const check = new StartedProgram({
      command: process.execPath,
      args: [
        ...[join(repository, 'dist/apps/daemon/src/main.js'), 'check', '--online'],
        ...['--config', join(folder, 'daemon.yaml')],
      ],
      env: { ...bareEnvironment(), API_KEY: 'e2e-key' },
    });
    expect(await check.exitCode()).toBe(1);
    expect(check.output).toContain(`${problem} b`);
  });

  it('a stack is denied: its layers would be one position with one stop', async () => {
    const stack = `if (!trade.warmingUp && bars === 1)
      trade.stack({ stream: 'main', direction: 'buy', layers: 2, spacing: 0.01, volume: 0.1 });`;
    const daemon = await start([{ name: 'probe', module: module(stack) }]);
    await daemon.untilStatus('probe', ({ orders }) => orders.denied === 1);
    const { body } = await daemon.call<{ lines: string[] }>('/logs/probe?level=warning');
    expect(body.lines.join('\n')).toContain('a stack needs a hedging account');
    expect((await daemon.status('probe')).pendingStackLayers).toEqual([]);
  });
});
