import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

interface Dump {
  readonly intents: readonly { readonly key: string; readonly state: string }[];
  readonly tickets: readonly { readonly ticket: number; readonly volumeIn: string; readonly closed: boolean }[];
}

describe('SIGTERM with a request in flight', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let proxy: FaultyProxy;
  let folder: string;
  let daemon: DaemonProgram;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    folder = scratch.folder();
    const module = strategyFile(
      folder,
      'probe',
      `if (!trade.warmingUp && trade.positions().length === 0) trade.buy('main', { volume: 0.1 });`,
    );
    proxy.fault = (method, path) =>
      method === 'POST' || /^.(trade_requests|reconcile)/.test(path) ? 'lost-after' : null;
    daemon = await DaemonProgram.start(scratch, {
      config: configuration(folder, proxy.url, [{ name: 'probe', module }]),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
    await daemon.untilStatus('probe', ({ orders }) => orders.inFlight === 1);
  });
  afterEach(() => scratch.clear());

  const dump = async (): Promise<Dump> => {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), 'state', 'dump', '--state-dir', join(folder, 'state')],
      env: bareEnvironment(),
    });
    await program.exitCode();
    return JSON.parse(program.output) as Dump;
  };
  const opened = async () => {
    const rows = (await gateway.call('/get_positions')).body['data'] as readonly { ticket: number }[];
    return rows.map(({ ticket }) => ticket);
  };

  it('finds its outcome out before the daemon ends', async () => {
    daemon.program.signal('SIGTERM');
    setTimeout(() => (proxy.fault = () => null), 2_000);
    expect(await daemon.program.exitCode()).toBe(0);
    const { intents, tickets } = await dump();
    expect(intents.map(({ state }) => state)).toEqual(['done']);
    // Booked, not only claimed: the fill is in the state as well.
    expect(tickets).toMatchObject([{ ticket: (await opened())[0], volumeIn: '0.1', closed: false }]);
    expect(new Set(proxy.sends.map(({ key }) => key)).size).toBe(1);
  });

  it('leaves what stays unknown to the next start, and sends no entry anew in the meantime', async () => {
    // Nothing has arrived yet that could not be told apart from what is sent after the signal.
    daemon.program.signal('SIGTERM');
    await daemon.program.line(/"stopping"/);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const sent = proxy.sends.length;
    expect(await daemon.program.exitCode()).toBe(0);
    expect(proxy.sends.length).toBe(sent);
    expect((await dump()).intents.map(({ state }) => state)).toEqual(['open']);
  });

  it('ends at once at a second signal, and leaves the request to the next start', async () => {
    daemon.program.signal('SIGTERM');
    await daemon.program.line(/"stopping"/);
    // Sooner it would be the same signal, passed on twice.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    daemon.program.signal('SIGINT');
    expect(await daemon.program.exitCode()).toBe(1);
    expect(daemon.program.output).toMatch(/a second signal came: ended at once/);
    expect((await dump()).intents.map(({ state }) => state)).toEqual(['open']);
  });
});
