import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest, type TestBar, type TestRun } from '../strategy-testing';

const bar = (close: number, high = close, low = close): TestBar => [close, high, low, close];
const still = bar(1.1);

describe('the tag of an entry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tags-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a strategy that does this with its first bar. */
  function run(bars: readonly TestBar[], first: string, then = ''): Promise<TestRun> {
    const file = join(folder, `${Math.random()}.ts`);
    writeFileSync(
      file,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, streams: ['main'], create: () => {
  let bars = 0;
  return { onBar(bar, trade) {
    if (++bars === 1) { ${first} }
    if (bars === 3) { ${then} }
  } };
} });`,
    );
    return backtest(file, { bars });
  }

  it('is that of its position, of every fill of it, and of the trade', async () => {
    const bars = [still, still, still, still, still];
    const enter = "trade.buy('main', { volume: 0.2, tag: 'pull back' }); trade.sell('main', { volume: 0.1 });";
    const { fills, positions } = await run(bars, enter, "trade.closePart(trade.position('main')!, 0.1);");
    expect(positions.map(({ side, tag }) => [side, tag])).toEqual([
      ['buy', 'pull back'],
      ['sell', null],
    ]);
    expect(fills.map(({ entry, tag }) => [entry, tag])).toEqual([
      ['in', 'pull back'],
      ['in', null],
      ['out', 'pull back'],
    ]);
    const { trades } = await run(bars, enter, "trade.close(trade.position('main')!);");
    expect(trades).toMatchObject([{ side: 'buy', tag: 'pull back' }]);
  });

  it('is that of a pending order and of what it fills into, also in a group', async () => {
    const place = `const order = { stream: 'main', kind: 'stop', volume: 0.1 } as const;
      trade.oco([{ ...order, side: 'buy', price: 1.101, tag: 'up' }, { ...order, side: 'sell', price: 1.099, tag: 'down' }]);`;
    expect((await run([still, still, still], place)).orders.map(({ tag }) => tag)).toEqual(['up', 'down']);
    const { positions, fills } = await run([still, still, bar(1.1015), bar(1.1015)], place);
    expect([...positions, ...fills].map(({ tag }) => tag)).toEqual(['up', 'up']);
  });

  it('is that of each layer of a stack', async () => {
    const open = `trade.stack({ stream: 'main', direction: 'buy', layers: 2, spacing: 0.001, volume: 0.1, tag: 'pyramid' });`;
    const { positions } = await run([still, still, bar(1.1015), bar(1.1015)], open);
    expect(positions.map(({ tag }) => tag)).toEqual(['pyramid', 'pyramid']);
  });

  it.each(["''", "'a, b'", '5', 'null', "'x'.repeat(33)"])('cannot be %s', async (tag) => {
    const problem = /buy: tag must be 1 to 32 letters, digits, spaces and _\.:\/-, not/;
    await expect(run([still, still], `trade.buy('main', { volume: 0.1, tag: ${tag} as never });`)).rejects.toThrow(
      problem,
    );
    const stack = `trade.stack({ stream: 'main', direction: 'buy', layers: 2, spacing: 1, volume: 1, tag: ${tag} as never });`;
    await expect(run([still, still], stack)).rejects.toThrow('stack: tag must be');
  });
});
