import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram } from './daemon-program';
import { reloaded } from './reload-rig';

interface Kept {
  readonly keptState: { readonly version: number; readonly value: Readonly<Record<string, unknown>> } | null;
  readonly state: string;
  readonly restarts: number;
  readonly positions: readonly object[];
  readonly trades: number;
}

describe('what a strategy keeps under trade.state', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  let daemon: DaemonProgram;
  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  /** Writes the strategy file. */
  const write = (onBar: string, state = '{ version: 1, initial: { bars: 0, sent: 0 } }'): string => {
    const path = join(folder, 'keeper.ts');
    writeFileSync(
      path,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, warmupBars: 3, state: ${state}, create: () => ({
  onBar(bar, trade) { ${onBar} },
}) });`,
    );
    return path;
  };
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const config = configuration(folder, gateway.url, [{ name: 'keeper', module: join(folder, 'keeper.ts') }]);
    const env = { API_KEY: 'e2e-key', ...more };
    daemon = await DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env });
  };
  const until = (satisfies: (body: Kept) => boolean) => daemon.until<Kept>('/status/keeper', satisfies);
  const member = ({ keptState }: Kept, name: string): number => Number(keptState?.value[name] ?? -1);
  const orders = async (): Promise<number> => {
    const { body } = await gateway.call('/get_positions');
    return (body['data'] as readonly object[]).length;
  };

  /** Buys once in its life, as far as it knows. */
  const buyOnce = `trade.state.bars++;
    if (!trade.warmingUp && trade.state.sent === 0) { trade.state.sent = 1; trade.buy('main', { volume: 0.1 }); }`;

  it('is the same after a kill -9 and a restart: nothing is forgotten, and no order sent again', async () => {
    write(buyOnce);
    await start();
    let before = await until((body) => body.trades === 1 && member(body, 'bars') > 2);
    for (let kills = 0; kills < 3; kills++) {
      await daemon.kill();
      await start();
      const after = await until((body) => member(body, 'bars') > member(before, 'bars') + 1);
      expect(member(after, 'sent')).toBe(1);
      before = after;
    }
    expect(await orders()).toBe(1);
  });

  it('is on disk with the order, however early the daemon is killed', async () => {
    write(buyOnce);
    for (let kills = 0; kills < 4; kills++) {
      await start();
      while ((await orders()) === 0) await new Promise((wake) => setTimeout(wake, 5));
      await daemon.kill();
    }
    await start();
    expect(await until((body) => member(body, 'bars') > 0)).toMatchObject({ keptState: { value: { sent: 1 } } });
    expect(await orders()).toBe(1);
  });

  it('is there for the next version of the file, which migrates it or is refused', async () => {
    write('trade.state.bars++;');
    await start();
    const before = await until((body) => member(body, 'bars') > 1);

    write('trade.state.count++;', '{ version: 2, initial: { count: 0 } }');
    expect(await reloaded(daemon)).toMatchObject({
      outcome: 'partial',
      problems: [
        expect.stringContaining(
          'keeper: the stored state has version 1, and the strategy declares state.version 2: add state.migrate',
        ),
      ],
    });
    const went = await until((body) => member(body, 'bars') > member(before, 'bars') + 1);
    expect(went).toMatchObject({ state: 'running', keptState: { version: 1 } });

    const migrate = '(old, version) => ({ count: 1_000 + (old as any).bars, from: version })';
    write('trade.state.count++;', `{ version: 2, initial: { count: 0, from: 0 }, migrate: ${migrate} }`);
    expect(await reloaded(daemon)).toMatchObject({ outcome: 'applied', changed: ['keeper'] });
    const after = await until((body) => body.keptState?.version === 2);
    expect(after.keptState).toMatchObject({ version: 2, value: { from: 1 } });
    // Equal if no bar has come since the migration.
    expect(member(after, 'count')).toBeGreaterThanOrEqual(1_000 + member(went, 'bars'));
    await daemon.kill();
    await start();
    await until((body) => member(body, 'count') > member(after, 'count'));
  });

  it('is there after its thread was ended by the watchdog', async () => {
    // It hangs now and then, by the market's time.
    write('if (!trade.warmingUp && bar.timeMs % 300_000 === 0) for (;;); trade.state.bars++;');
    await start({ DAEMON_WATCHDOG_MS: '1000' });
    const hung = await until((body) => member(body, 'bars') > 0 && body.restarts > 0);
    const after = await until((body) => member(body, 'bars') > member(hung, 'bars'));
    expect(after.keptState?.version).toBe(1);
  });
});
