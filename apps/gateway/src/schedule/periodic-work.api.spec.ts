import { SchedulerRegistry } from '@nestjs/schedule';
import { VirtualClock } from '@libs/clock';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from '../testing/gateway-under-test';
import { PeriodicWork } from './periodic-work';

describe('the periodic work of a running gateway', () => {
  const clock = new VirtualClock();
  let gateway: GatewayUnderTest;
  beforeEach(async () => {
    gateway = await gatewayUnderTest({ clock });
  });
  afterEach(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  it('is listed by name, runs by the injected clock, and ends with the gateway', async () => {
    const registry = gateway.app.get(SchedulerRegistry, { strict: false });
    const work = gateway.app.get(PeriodicWork, { strict: false });
    expect(registry.getIntervals().sort()).toEqual([
      'account-evidence',
      'audit-log',
      'equity',
      'journal-probe',
      'journal-sweep',
      'kill-switch',
      'lost-keys',
      'open-differences',
      'outcome-resolution',
      'server-time',
      'trade-events',
    ]);
    let runs = 0;
    work.start('counting', 1_000, async () => void (runs += 1));
    await clock.advance(3_000);
    expect(runs).toBe(3);
    work.onModuleDestroy();
    await clock.advance(3_000);
    expect(runs).toBe(3);
    await gateway.stop();
    expect(registry.getIntervals()).toEqual([]);
  });

  it('is listed for as long as a part of the gateway repeats it', async () => {
    const registry = gateway.app.get(SchedulerRegistry, { strict: false });
    const part = gateway.app.get(PeriodicWork, { strict: false }).clockOf('part');
    const runs: string[] = [];
    const first = part.every(1_000, () => void runs.push('first'));
    const second = part.every(
      () => 1_000 + 1_000 * runs.length,
      () => void runs.push('second'),
    );
    expect(registry.getIntervals()).toEqual(expect.arrayContaining(['part', 'part-2']));
    await clock.advance(2_000);
    expect(runs).toEqual(['first', 'second', 'first']);
    for (const timer of [first, second, second]) timer.cancel();
    await clock.advance(9_000);
    expect(runs).toHaveLength(3);
    expect(registry.getIntervals()).not.toEqual(expect.arrayContaining(['part']));
  });

  it('continues after a failed run, and rejects a duplicate name', async () => {
    const work = gateway.app.get(PeriodicWork, { strict: false });
    let runs = 0;
    work.start('failing', 1_000, async () => {
      runs += 1;
      throw new Error('the work failed');
    });
    await clock.advance(2_000);
    expect(runs).toBe(2);
    expect(() => work.start('failing', 1_000, async () => undefined)).toThrow(/failing/);
  });
});
