import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { DaemonProgram, type StatusBody } from './daemon-program';

jest.setTimeout(180_000);

const folder = join(repository, 'strategies');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

interface Member extends StatusBody {
  readonly name: string;
  readonly realized: number;
  readonly children?: readonly Member[];
}

describe('a configuration that is shipped', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const environmentOf = (gateway: GatewayProgram) => ({
    API_KEY: gateway.key,
    TERMINAL_API_PORT: new URL(gateway.url).port,
  });
  const start = (gateway: GatewayProgram, file: string) =>
    DaemonProgram.start(scratch, {
      ...{ config: join(folder, file), stateDir: join(scratch.folder(), 'state'), env: environmentOf(gateway) },
    });
  /** Every strategy once all of them have traded. */
  const traded = async (daemon: DaemonProgram, least: number): Promise<readonly Member[]> => {
    const all = (members: readonly Member[]) => members.flatMap((member) => member.children ?? [member]);
    return all(
      await daemon.until<Member[]>('/status', (members) => all(members).every(({ trades }) => trades >= least)),
    );
  };

  it.each(files)('%s passes its check and trades on the simulated broker as it is', async (file) => {
    const gateway = await GatewayProgram.startReady(scratch, fastMarket(3_600));
    const check = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), 'check', '--online', '--config', join(folder, file)],
      env: { ...bareEnvironment(), ...environmentOf(gateway) },
    });
    expect([await check.exitCode(), check.output]).toEqual([0, expect.stringMatching(/gateway +demo +ok/)]);
    expect(check.output).not.toContain('FAILED');
    const members = await traded(await start(gateway, file), 2);
    expect(members.map(({ state, halted }) => [state, halted])).toEqual(members.map(() => ['running', false]));
    // An hour of this market takes a second: on a busy machine, an entry may be denied because its bar came late.
    const refused = members.map(({ orders }) => orders.rejected + orders.denied - orders.stale);
    expect(refused).toEqual(members.map(() => 0));
  });

  describe('with two strategies', () => {
    it('trades replayed prices, and both strategies together are what the account has made', async () => {
      const feed = ['GBPUSD', 'EURUSD'].flatMap((symbol) => priceFiles.map((file) => `${symbol}=${file}`));
      const gateway = await GatewayProgram.startReady(scratch, {
        SIM_FEED: `replay:${feed.join(',')}`,
        ...fastMarket(3_600),
      });
      const daemon = await start(gateway, 'majors.yaml');
      await traded(daemon, 4);
      await gateway.call('/kill', { method: 'POST' });
      await expectAgreement(gateway, daemon);
    });
  });
});

/** Stops still close positions at the broker: looks until the account stood still while the daemon was asked. */
async function expectAgreement(gateway: GatewayProgram, daemon: DaemonProgram): Promise<void> {
  const made = async (): Promise<number> => Number((await gateway.call('/account')).body['balance']) - 10_000;
  for (;;) {
    const before = await made();
    const { realized, children = [] } = await daemon.until<Member>('/status/majors', () => true);
    if (before !== (await made()) || Math.abs(realized - before) > 0.005) continue;
    expect(children.reduce((sum, child) => sum + child.realized, 0)).toBeCloseTo(realized, 6);
    return;
  }
}
