import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';

describe('the key of a gateway', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  let config: string;
  let keyFile: string;

  beforeAll(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
    config = configuration(folder, gateway.url, [{ name: 'probe', module: strategyFile(folder, 'probe', '') }]);
    keyFile = join(folder, 'key');
    writeFileSync(keyFile, 'e2e-key\n');
  });
  afterAll(() => scratch.clear());

  const stateDir = () => join(scratch.folder(), 'state');

  it('is read from the file that its _FILE variable names', async () => {
    const daemon = await DaemonProgram.start(scratch, { config, stateDir: stateDir(), env: { API_KEY_FILE: keyFile } });
    const running = await daemon.untilStatus('probe', ({ state }) => state === 'running');
    expect(running.problem).toBeNull();
  });

  it('is not taken from two places, and never shown', async () => {
    const env = { API_KEY_FILE: keyFile, API_KEY: 'e2e-other-key' };
    const both = DaemonProgram.spawn({ config, stateDir: stateDir(), env });
    expect(await both.exitCode()).toBe(1);
    expect(both.output).toMatch(/gateways\.demo\.apiKeyEnv names API_KEY, but both it and API_KEY_FILE are set/);
    expect(both.output).not.toMatch(/e2e-key|e2e-other-key/);
  });
});
