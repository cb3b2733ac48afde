import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { DaemonProgram, strategyFile } from '../e2e/daemon/daemon-program';
import { flip, holdOne } from '../e2e/daemon/drill-rig';
import { reloaded } from '../e2e/daemon/reload-rig';

interface Placed {
  readonly name: string;
  readonly module: string;
  readonly magic: number;
  /** `gateway:symbol` of its stream. */
  readonly at: string;
}

describe('a strategy that SIGHUP moves to another gateway', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  let daemon: DaemonProgram;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const write = (gateways: Readonly<Record<string, string>>, strategies: readonly Placed[]): string => {
    const path = join(folder, 'daemon.yaml');
    const document = {
      gateways: Object.fromEntries(
        Object.entries(gateways).map(([name, url]) => [name, { url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 }]),
      ),
      strategies: strategies.map(({ at, ...more }) => ({ ...more, streams: { main: `${at}@M1` }, capital: 10_000 })),
    };
    writeFileSync(path, JSON.stringify(document));
    return path;
  };
  const start = async (config: string): Promise<void> => {
    const env = { API_KEY: 'e2e-key' };
    daemon = await DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env });
  };

  it('leaves nothing behind at the one that is taken out, though it does not run yet at the new one', async () => {
    const module = strategyFile(folder, 'probe', flip);
    const probe = { name: 'probe', module, magic: 41_001 };
    await start(write({ away: 'http://127.0.0.1:1' }, [{ ...probe, at: 'away:EURUSD' }]));
    await daemon.untilStatus('probe', ({ state }) => state === 'failed');
    // Its first start there fails as well.
    write({ here: gateway.url }, [{ ...probe, at: 'here:NONESUCH' }]);
    expect(await reloaded(daemon)).toMatchObject({ removed: ['away'] });
    await daemon.untilStatus('probe', ({ problem }) => problem !== null);
    for (const path of ['/health', '/status', '/metrics']) expect((await daemon.call(path)).status).toBe(200);
    const [row] = (await daemon.call<{ port: number }[]>('/list')).body;
    expect((await fetch(`http://127.0.0.1:${row?.port}/health`)).status).toBe(200);
    write({ here: gateway.url }, [{ ...probe, at: 'here:EURUSD' }]);
    expect(await reloaded(daemon)).toMatchObject({ outcome: 'applied', changed: ['probe'] });
    await daemon.untilStatus('probe', ({ trades }) => trades >= 2);
  });

  it('has no part in what happens under its magic where it was, when that is another strategy’s', async () => {
    const account = { SIM_LOGIN: '100002', TERMINAL_LOGIN: '100002' };
    const other = await GatewayProgram.startReady(scratch, { ...fastMarket(), ...account });
    const gateways = { here: gateway.url, there: other.url };
    const still = { name: 'mover', module: strategyFile(folder, 'mover', ''), magic: 41_001 };
    await start(write(gateways, [{ ...still, at: 'here:EURUSD' }]));
    await daemon.untilStatus('mover', ({ state }) => state === 'running');
    write(gateways, [{ ...still, at: 'there:EURUSD' }]);
    expect(await reloaded(daemon)).toMatchObject({ outcome: 'applied', changed: ['mover'] });
    // By hand, so that no strategy owns it: a strategy that checks for external positions finds it.
    await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 41_001 });
    const heir = { name: 'heir', module: strategyFile(folder, 'heir', holdOne), magic: 41_002 };
    write(gateways, [
      { ...still, at: 'there:EURUSD' },
      { ...heir, at: 'here:EURUSD' },
    ]);
    expect(await reloaded(daemon)).toMatchObject({ outcome: 'applied', added: ['heir'] });
    await daemon.untilStatus('heir', ({ positions }) => positions.length === 1);
    expect(await daemon.status('mover')).toMatchObject({ halted: false, positions: [], trades: 0 });
  });
});
