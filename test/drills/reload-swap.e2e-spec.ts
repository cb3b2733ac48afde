import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { flip, holdOne } from '../e2e/daemon/drill-rig';
import { ReloadRig, tell, type ConfigBody } from '../e2e/daemon/reload-rig';

describe('SIGHUP after a change of a strategy', () => {
  const scratch = new Scratch();
  let rig: ReloadRig;

  beforeEach(async () => {
    rig = await ReloadRig.ready(scratch);
  });
  afterEach(() => scratch.clear());

  it('swaps what has changed and keeps what it owns, has earned and has counted', async () => {
    const file = join(rig.folder, 'sized.ts');
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
    await rig.start(sized(0.1));
    const before = await rig.daemon.untilStatus('sized', ({ trades }) => trades >= 5);
    rig.write(sized(0.3));
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: ['sized'], problems: [] });
    const after = await rig.daemon.untilStatus('sized', ({ lastTrade }) => lastTrade?.['volume'] === 0.3);
    expect(after.trades).toBeGreaterThan(before.trades);
    // Limits and capital move without a new thread.
    rig.write(sized(0.3, { capital: 20_000, risk: { maxOpenPositions: 5, maxDrawdownPct: 30 } }));
    const restarts = (await rig.rows())[0]?.uptimeMs ?? 0;
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: ['sized'] });
    expect((await rig.rows())[0]?.uptimeMs).toBeGreaterThan(restarts);
    rig.write(sized(0.3, { capital: 1_000, risk: { maxOpenPositions: 5, maxDrawdownPct: 30 } }));
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: ['sized'] });
    const { trades } = await rig.daemon.status('sized');
    // Nine tenths of the capital were withdrawn, and nothing was lost by trading: no halt.
    expect(await rig.daemon.untilStatus('sized', (body) => body.trades > trades + 2)).toMatchObject({ halted: false });
    await rig.gateway.call('/kill', { method: 'POST' });
    const last = await rig.daemon.untilStatus('sized', ({ orders }) => orders.blocked > 0 && orders.inFlight === 0);
    expect(last.realized).toBeCloseTo(Number((await rig.gateway.call('/account')).body['balance']) - 10_000, 6);
    expect(last.positions.map(({ ticket }) => ticket)).toEqual((await rig.positions()).map(({ ticket }) => ticket));
  });

  it('does not let go of the old one when the new one is refused', async () => {
    const probe = { name: 'probe', module: rig.module(flip) };
    await rig.start([probe]);
    rig.write([{ ...probe, more: { params: { nonsense: 1 } } }]);
    const report = await rig.reload();
    expect(report).toMatchObject({ outcome: 'partial', changed: [] });
    expect(report.problems).toEqual([expect.stringMatching(/^probe: .*nonsense is not a parameter/)]);
    const { trades } = await rig.daemon.status('probe');
    await rig.daemon.untilStatus('probe', (body) => body.trades > trades + 2);
    expect((await rig.daemon.call('/metrics')).text).toContain('daemon_config_last_reload_successful 0');
    rig.write([probe]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: [], problems: [] });
  });

  it('takes over another text of the strategy file, but none that does not bundle', async () => {
    const probe = { name: 'probe', module: rig.module(tell('first')) };
    await rig.start([probe]);
    await rig.untilLine('probe', /first \d/);
    writeFileSync(probe.module, 'export default {');
    const broken = await rig.reload();
    expect(broken.problems).toEqual([expect.stringMatching(/^probe: .*probe\.ts:1:/)]);
    const told = (await rig.lines('probe')).length;
    while ((await rig.lines('probe')).length < told + 3) await new Promise((wake) => setTimeout(wake, 50));
    rig.module(tell('second'));
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: ['probe'] });
    await rig.untilLine('probe', /second \d/);
    // Each bar once: the last of the old text and the first of the new one are neighbours.
    const texts = (await rig.lines('probe')).flatMap((line) => / (first|second) \d/.exec(line)?.[1] ?? []);
    expect(texts).toEqual([...texts].sort());
  });

  it('loses no bar and doubles none between the versions, however fast they come', async () => {
    const fast = await GatewayProgram.startReady(scratch, fastMarket(1_500));
    rig.proxy.lead(fast.url);
    const file = join(rig.folder, 'witness.ts');
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
    await rig.start([{ name: 'witness', module: file }]);
    await rig.untilLine('witness', /saw \d/);
    for (let version = 2; version <= 8; version++) {
      writeVersion(version);
      expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: ['witness'], problems: [] });
    }
    const { body } = await rig.daemon.call<{ lines: string[] }>('/logs/witness?lines=10000');
    const seen = body.lines.flatMap((line) => / saw (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(seen.length).toBeGreaterThan(20);
    const steps = seen.slice(1).map((timeMs, index) => timeMs - (seen[index] ?? 0));
    // A weekend does not count as a gap.
    expect(steps.filter((ms) => ms !== 60_000 && ms < 40 * 3_600_000)).toEqual([]);
  });

  it('hands magics over only when the one before has let go of them', async () => {
    // A swap needs a moment without a request in flight.
    const seldom = `if (bars % 10 > 0) return;\n${flip}`;
    const one = { name: 'one', module: rig.module(seldom, 'one'), magic: 41001 };
    const two = { name: 'two', module: rig.module(seldom, 'two'), magic: 41002 };
    await rig.start([one, two]);
    rig.write([
      { ...one, magic: 41002 },
      { ...two, magic: 41003 },
    ]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', changed: ['two', 'one'], problems: [] });
    rig.write([
      { ...one, magic: 41003 },
      { ...two, magic: 41002 },
    ]);
    const { problems } = await rig.reload();
    expect(problems).toEqual(['one: magic 41003 is still in use by two', 'two: magic 41002 is still in use by one']);
    const before = await rig.daemon.status('one');
    const after = await rig.daemon.untilStatus('one', (body) => body.trades > before.trades + 4);
    expect(after.halted).toBe(false);
  });

  it('keeps the magic of one that does not run while an entry under it may still open', async () => {
    const probe = { name: 'probe', module: rig.module(holdOne), magic: 41001 };
    let isAway = false;
    rig.proxy.fault = (_method, path) => {
      isAway ||= path === '/order';
      return isAway ? 'lost-before' : null;
    };
    await rig.start([probe]);
    await rig.daemon.untilStatus('probe', ({ orders }) => orders.unknown === 1);
    await rig.daemon.kill();
    await rig.start([probe], 'failed');
    rig.write([{ ...probe, magic: 41002 }]);
    expect(await rig.reload()).toMatchObject({
      ...{ outcome: 'partial', changed: [] },
      problems: ["probe: the outcome of an entry with the strategy's magic is unknown"],
    });
    rig.proxy.fault = () => null;
    await rig.daemon.until<ConfigBody>('/health', ({ config }) => config.lastReload?.outcome === 'applied');
    const { positions } = await rig.daemon.untilStatus('probe', (body) => body.positions.length === 1);
    expect((await rig.positions()).map(({ ticket }) => ticket)).toEqual(positions.map(({ ticket }) => ticket));
  });
});
