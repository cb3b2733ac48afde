import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { DaemonProgram, type StatusBody } from './daemon-program';

const folder = join(repository, 'strategies');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

/** Market seconds in a second of the clock. */
const speeds = [3_600, 900, 240];

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
  const inAll = (members: readonly Member[]): readonly Member[] => members.flatMap((one) => one.children ?? [one]);
  const refusedIn = (members: readonly Member[]): readonly number[] =>
    inAll(members).map(({ orders }) => orders.rejected + orders.denied - orders.stale);

  /**
   * Every strategy once all of them have traded. A market that outruns the machine has orders refused, whose prices are gone when
   * they arrive: the next speed then decides, and the last one whatever it refuses.
   */
  async function traded(
    market: Readonly<Record<string, string>>,
    least: number,
    startIn: (gateway: GatewayProgram) => Promise<DaemonProgram>,
    allowed = speeds,
  ): Promise<{ gateway: GatewayProgram; daemon: DaemonProgram; members: readonly Member[] }> {
    for (const speed of allowed) {
      const gateway = await GatewayProgram.startReady(scratch, { ...market, ...fastMarket(speed) });
      const daemon = await startIn(gateway);
      const isOutrun = (members: readonly Member[]): boolean =>
        speed !== allowed.at(-1) && refusedIn(members).some((count) => count > 0);
      const hasTraded = (members: readonly Member[]): boolean => inAll(members).every(({ trades }) => trades >= least);
      const members = await daemon.until<Member[]>('/status', (some) => isOutrun(some) || hasTraded(some));
      if (!isOutrun(members)) return { gateway, daemon, members: inAll(members) };
      await daemon.stop();
      await gateway.stop();
    }
    throw new Error('there is no speed');
  }

  it.each(files)('%s passes its check and trades on the simulated broker as it is', async (file) => {
    let isChecked = false;
    const { members } = await traded({}, 2, async (gateway) => {
      if (!isChecked) await expectSound(gateway, file);
      isChecked = true;
      return start(gateway, file);
    });
    expect(members.map(({ state, halted }) => [state, halted])).toEqual(members.map(() => ['running', false]));
    expect(refusedIn(members)).toEqual(members.map(() => 0));
  });

  async function expectSound(gateway: GatewayProgram, file: string): Promise<void> {
    const check = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), 'check', '--online', '--config', join(folder, file)],
      env: { ...bareEnvironment(), ...environmentOf(gateway) },
    });
    expect([await check.exitCode(), check.output]).toEqual([0, expect.stringMatching(/gateway +demo +ok/)]);
    expect(check.output).not.toContain('FAILED');
  }

  describe('with two strategies', () => {
    it('trades replayed prices, and both strategies together are what the account has made', async () => {
      const feed = ['GBPUSD', 'EURUSD'].flatMap((symbol) => priceFiles.map((file) => `${symbol}=${file}`));
      const market = { SIM_FEED: `replay:${feed.join(',')}` };
      const { gateway, daemon } = await traded(
        market,
        4,
        (started) => start(started, 'majors.yaml'),
        speeds.slice(0, 1),
      );
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
