import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { DrillRig, flip, logOf, tellHoles } from '../e2e/daemon/drill-rig';

/** A bar lasts a second: the daemon has time for each, and an outage of some seconds is many bars. */
const speed = 60;
const outageMs = 15_000;
const minuteMs = 60_000;

/** Flips at each bar, and says what became of what it wanted on bars older than one bar. */
const flipAndTell = `import { defineStrategy, type Bar, type Fill, type Reject, type Trade } from '@libs/strategy';
class Params {}
export default defineStrategy({
  version: 1,
  params: Params,
  create: () => {
    const old = new Map<string, string>();
    return {
      onBar(bar: Bar, trade: Trade) {
        ${tellHoles}
        if (trade.warmingUp) return;
        const [held] = trade.positions();
        const id = held ? trade.close(held) : trade.buy('main', { volume: 0.1 });
        if (bar.lateMs > ${minuteMs}) old.set(id, held ? 'exit' : 'entry');
      },
      onFill(fill: Fill, trade: Trade) {
        const what = old.get(fill.intentId ?? '');
        if (what !== undefined) trade.log('old ' + what + ' filled');
      },
      onReject({ intentId, kind, reason }: Reject, trade: Trade) {
        const what = old.get(intentId);
        if (what !== undefined) trade.log('old ' + what + ' ' + kind + ': ' + reason);
      },
    };
  },
});
`;

describe('bars that were missed while the gateway was away', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('are handed on late: no entry is made on an old one, exits pass', async () => {
    const rig = await DrillRig.start(scratch, fastMarket(speed));
    const module = join(rig.folder, 'probe.ts');
    writeFileSync(module, flipAndTell);
    const daemon = await rig.daemon([{ name: 'probe', module }]);
    await daemon.untilStatus('probe', ({ positions, trades }) => trades > 2 && positions.length === 1);
    rig.gateway.freeze();
    await pause(outageMs);
    rig.gateway.thaw();
    const before = await daemon.status('probe');
    const after = await daemon.untilStatus('probe', ({ trades }) => trades > before.trades + 2);
    const log = await logOf(daemon, 'probe');
    const count = (text: string): number => log.split(text).length - 1;
    expect(count('old entry filled')).toBe(0);
    expect(count('old exit filled')).toBe(1);
    expect(count('old entry denied: stale_bar')).toBeGreaterThan(5);
    expect(after.orders).toMatchObject({ stale: count('old entry denied: stale_bar'), rejected: 0 });
    expect(after.lateBars).toBeGreaterThan(5);
    expect(after.missedBars).toBe(0);
    expect(log).not.toContain('a hole before');
    const row = log.split('\n').find((line) => line.includes('"reason":"stale_bar"'));
    expect(row).toMatch(/WARNING an intent was denied .*"barLateMs":\d{5,}/);
  });

  it('cause no burst of orders in a strategy that does not look at their lateness', async () => {
    const rig = await DrillRig.start(scratch, fastMarket(speed));
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(flip) }]);
    await daemon.untilStatus('probe', ({ trades }) => trades > 2);
    rig.gateway.freeze();
    await pause(outageMs);
    const keys = rig.proxy.keys('/order').length;
    rig.gateway.thaw();
    // Every bar of the outage has been handled: the strategy trades on bars of the present again.
    const { orders } = await daemon.untilStatus('probe', (now) => now.inboundQueueDepth === 0 && now.orders.stale > 5);
    expect(rig.proxy.keys('/order').length - keys).toBeLessThanOrEqual(2);
    expect(orders.rejected).toBe(0);
  });
});
