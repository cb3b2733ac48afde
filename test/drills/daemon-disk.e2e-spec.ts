import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { describeWith } from '../e2e/programs/needs';
import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { configuration, DaemonProgram, strategyFile } from '../e2e/daemon/daemon-program';

/** Enters whenever it has nothing, and leaves on the second bar after. */
const flip = `if (trade.warmingUp) return;
  const [open] = trade.positions();
  if (!open) trade.buy('main', { volume: 0.1 }); else if (bars % 3 === 0) trade.close(open);`;

// A limit on the size of files refuses every write to a file as a full disk does, for this one process.
describeWith('prlimit')('the disk of the daemon’s state (needs prlimit)', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const options = (by: readonly string[] = []) => {
    const strategies = [{ name: 'probe', module: strategyFile(folder, 'probe', flip) }];
    const config = configuration(folder, gateway.url, strategies);
    return { config, stateDir: join(folder, 'state'), env: { API_KEY: 'e2e-key' }, by };
  };
  const start = (by?: readonly string[]) => DaemonProgram.start(scratch, options(by));
  const onFullDisk = ['prlimit', '--fsize=1:'];
  const limit = (daemon: DaemonProgram, bytes: string): void => {
    execFileSync('prlimit', ['--pid', String(daemon.program.pid), `--fsize=${bytes}:`]);
  };
  const failures = async (daemon: DaemonProgram): Promise<number> => {
    const { text } = await daemon.call('/metrics');
    return Number(/^daemon_persistence_failures_total (\d+)$/m.exec(text)?.[1]);
  };

  it('stops entries while it is full, lets exits pass, and holds everything once there is space again', async () => {
    let daemon = await start();
    await daemon.untilStatus('probe', ({ trades, positions }) => trades >= 3 && positions.length === 1);
    expect(await failures(daemon)).toBe(0);
    limit(daemon, '1');
    // What was open is closed; nothing more is opened.
    const full = await daemon.untilStatus(
      'probe',
      ({ positions, orders }) => positions.length === 0 && orders.denied >= 3 && orders.inFlight === 0,
    );
    expect(full.persistence.failedWrites).toBeGreaterThan(0);
    expect(full.persistence.lastError).not.toBeNull();
    expect(await daemon.untilHealth(({ condition }) => condition === 'degraded')).toBeDefined();
    expect(await failures(daemon)).toBeGreaterThan(0);
    const { trades } = full;
    expect((await gateway.call('/get_positions')).body['data']).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await daemon.status('probe')).toMatchObject({ trades, positions: [], state: 'running' });

    limit(daemon, 'unlimited');
    await daemon.untilHealth(({ condition }) => condition === 'ok');
    const after = await daemon.untilStatus('probe', (body) => body.trades > trades + 2);
    expect(after.persistence.lastError).toBeNull();

    await gateway.call('/kill', { method: 'POST' });
    await daemon.untilStatus('probe', ({ orders }) => orders.blocked > 0 && orders.inFlight === 0);
    await daemon.kill();
    daemon = await start();
    const balance = Number((await gateway.call('/account')).body['balance']);
    const again = await daemon.untilStatus('probe', ({ realized }) => Math.abs(realized + 10_000 - balance) < 1e-6);
    expect(again.halted).toBe(false);
  });

  it('lets a strategy leave what it holds also when the daemon starts on a full one', async () => {
    const first = await start();
    await first.untilStatus('probe', ({ trades, positions }) => trades >= 3 && positions.length === 1);
    await first.kill();
    const daemon = await start(onFullDisk);
    const file = join(folder, 'state/control.port');
    expect(existsSync(file)).toBe(false);
    await daemon.untilStatus('probe', ({ positions, orders }) => positions.length === 0 && orders.denied >= 1);
    expect((await gateway.call('/get_positions')).body['data']).toEqual([]);
    expect(await daemon.untilHealth(({ condition }) => condition === 'degraded')).toBeDefined();
    limit(daemon, 'unlimited');
    await daemon.untilHealth(({ condition }) => condition === 'ok');
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 100));
  });

  it('ends the first start of all with a message when it is full', async () => {
    const program = DaemonProgram.spawn(options(onFullDisk));
    expect(await program.exitCode()).toBe(1);
    expect(program.output).toMatch(/^the state in .* cannot be opened: EFBIG/m);
  });

  it('does not make a kill -9 lose what was closed while it was full', async () => {
    let daemon = await start();
    await daemon.untilStatus('probe', ({ trades, positions }) => trades >= 3 && positions.length === 1);
    limit(daemon, '1');
    const { trades } = await daemon.untilStatus('probe', ({ positions, orders }) => {
      return positions.length === 0 && orders.denied >= 1 && orders.inFlight === 0;
    });
    await daemon.kill();
    await gateway.call('/kill', { method: 'POST' });
    daemon = await start();
    const after = await daemon.untilStatus('probe', (body) => body.trades >= trades);
    expect(after).toMatchObject({ trades, positions: [], halted: false });
    expect(after.realized).toBeCloseTo(Number((await gateway.call('/account')).body['balance']) - 10_000, 6);
  });
});
