import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DaemonProgram } from './daemon/daemon-program';
import { GatewayProgram } from './programs/gateway-program';
import { describeWith, requireProgram } from './programs/needs';
import { Scratch } from './programs/scratch';
import { repository } from './programs/started-program';

// Whole programs start and stop in here.
jest.setTimeout(120_000);

/** What `promtool check metrics` says of a page: nothing, when all is well. */
function promtoolOn(page: string): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(requireProgram('promtool'), ['check', 'metrics'], {
    input: page,
    encoding: 'utf8',
  });
  return { status, said: `${stdout}${stderr}` };
}

describeWith('promtool')('the metrics pages, by promtool', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('accepts the gateway’s, with trades and refusals counted', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' });
    await gateway.trade('/order', { symbol: 'EURUSD', volume: 1_000_000, type: 'BUY' });
    const { text, headers } = await gateway.call('/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^orders_submitted_total\{.*symbol="EURUSD".*\} 1$/m);
    expect(promtoolOn(text)).toEqual({ status: 0, said: '' });
  });

  it('accepts the daemon’s, with a strategy running', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const daemon = await DaemonProgram.start(scratch, {
      config: join(repository, 'strategies/demo.yaml'),
      stateDir: scratch.folder(),
      env: { API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port },
    });
    await daemon.untilStatus('ema-eurusd', ({ state }) => state === 'running');
    const { text } = await daemon.call('/metrics');
    expect(text).toMatch(/^daemon_strategies\{.*state="running".*\} 1$/m);
    expect(promtoolOn(text)).toEqual({ status: 0, said: '' });
  });
});
