import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest, type TestBar, type TestRun } from '../strategy-testing';

const bar = (close: number): TestBar => [close, close, close, close];
const start = Date.UTC(2024, 0, 8);

describe('a pending order that the strategy changes, in a backtest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'modify-order-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a strategy that places a buy limit at 1.09 with its first bar, and then acts by the number of the bar. */
  function run(onBar: string, bars: readonly TestBar[]): Promise<TestRun> {
    const file = join(folder, `${Math.random()}.ts`);
    writeFileSync(
      file,
      `import { defineStrategy } from '@libs/strategy';
class Params {}
export default defineStrategy({ version: 1, params: Params, streams: ['main'], create: () => {
  let bars = 0;
  return {
    onBar(bar, trade) {
      bars++;
      if (bars === 1) trade.buy('main', { kind: 'limit', price: 1.09, volume: 0.1, sl: 1.08, expirationMs: ${start + 300_000} });
      const [order] = trade.orders();
      ${onBar}
    },
    onOrderGone: (gone, trade) => trade.log(gone.kind),
  };
} });`,
    );
    return backtest(file, { bars });
  }

  it('fills under the intent that placed it, not under that of a change', async () => {
    const { fills, positions } = await run('if (bars === 2) trade.modify(order, { price: 1.095 });', [
      ...[bar(1.1), bar(1.1), bar(1.1)],
      ...[bar(1.094), bar(1.1)],
    ]);
    expect(fills.map(({ intentId }) => intentId)).toEqual(['1']);
    expect(positions.map(({ intentId }) => intentId)).toEqual(['1']);
  });

  it('fills at its new price, with its new levels', async () => {
    const { fills, positions, rejects } = await run(
      'if (bars === 2) trade.modify(order, { price: 1.095, tp: 1.12 });',
      [...[bar(1.1), bar(1.1), bar(1.1)], ...[bar(1.094), bar(1.1)]],
    );
    expect(fills).toMatchObject([{ entry: 'in', price: 1.094 }]);
    expect(positions).toMatchObject([{ sl: 1.08, tp: 1.12 }]);
    expect(rejects).toEqual([]);
  });

  it('has its new expiration, for the strategy and at the broker', async () => {
    const still = [bar(1.1), bar(1.1), bar(1.1), bar(1.1), bar(1.1), bar(1.1), bar(1.1)];
    const unchanged = await run('', still);
    expect([unchanged.orders, unchanged.logs.map(({ message }) => message)]).toEqual([[], ['expired']]);
    const without = await run('if (bars === 2) trade.modify(order, { expirationMs: null, sl: null });', still);
    expect(without.orders).toMatchObject([{ price: 1.09, sl: 0, expirationMs: null }]);
    const later = await run(`if (bars === 2) trade.modify(order, { expirationMs: ${start + 3_600_000} });`, still);
    expect(later.orders).toMatchObject([{ price: 1.09, sl: 1.08, expirationMs: start + 3_600_000 }]);
  });

  it('stays as it is when the change is refused', async () => {
    const { orders, rejects } = await run('if (bars === 2) trade.modify(order, { price: 1.2 });', [
      ...[bar(1.1), bar(1.1), bar(1.1)],
    ]);
    expect(orders).toMatchObject([{ price: 1.09 }]);
    expect(rejects).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining('price') }]);
  });

  it('may be changed to its current values', async () => {
    const { rejects } = await run('if (bars === 2) trade.modify(order, { price: 1.09 });', [
      bar(1.1),
      bar(1.1),
      bar(1.1),
    ]);
    expect(rejects).toEqual([]);
  });

  it('cannot be changed when it no longer exists', async () => {
    const { rejects } = await run('if (bars === 3) trade.modify(7, { price: 1.09 });', [bar(1.1), bar(1.1), bar(1.1)]);
    expect(rejects).toMatchObject([{ kind: 'denied', reason: 'ticket 7 is not open or not owned by this strategy' }]);
  });
});
