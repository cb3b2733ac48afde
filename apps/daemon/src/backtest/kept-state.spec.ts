import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtest, type TestBar, type TestOptions, type TestRun } from '../strategy-testing';

const bars: readonly TestBar[] = [1.1, 1.2, 1.3, 1.4].map((close): TestBar => [close, close, close, close]);

describe('trade.state in a backtest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-state-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs a strategy that keeps a state, with these handlers. */
  function run(handlers: string, { state, ...options }: Partial<TestOptions> & { readonly definition?: string } = {}) {
    const { definition = '{ version: 2, initial: { highs: [] as number[] } }', ...rest } = options;
    const file = join(folder, `${Math.random()}.ts`);
    writeFileSync(
      file,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 1, params: class {}, streams: ['main'], warmupBars: 2, state: ${definition},
  create: () => ({ ${handlers} }),
});`,
    );
    return backtest(file, { bars, ...rest, ...(state && { state }) });
  }
  const collect = `onBar(bar, trade) {
    trade.log(JSON.stringify(trade.state));
    trade.state.highs.push(bar.high);
  }`;
  const said = ({ logs }: TestRun) => logs.map(({ message }) => message);

  it('passes from one handler to the next, and changes of the warm-up are undone', async () => {
    const result = await run(collect);
    expect(said(result)).toEqual(['{"highs":[]}', '{"highs":[]}', '{"highs":[]}', '{"highs":[1.3]}']);
    expect(result.state).toEqual({ highs: [1.3, 1.4] });
  });

  it('is available to the fill of an order of the handler that changed it', async () => {
    const result = await run(`
      onBar(bar, trade) {
        if (trade.warmingUp || trade.positions().length > 0) return;
        trade.state.highs = [7];
        trade.buy('main', { volume: 0.1 });
      },
      onFill: (fill, trade) => trade.log(JSON.stringify(trade.state)),
    `);
    expect(said(result)).toEqual(['{"highs":[7]}']);
  });

  it('begins with the state given to the run, migrated like a stored state', async () => {
    const value = { highs: [9] };
    expect((await run(collect, { state: { version: 2, value } })).state).toEqual({ highs: [9, 1.3, 1.4] });
    const definition = `{
      version: 2, initial: { highs: [] as number[] },
      migrate: (old, version) => ({ highs: [(old as { high: number }).high, version] }),
    }`;
    const migrated = await run(collect, { definition, state: { version: 1, value: { high: 5 } } });
    expect(migrated.state).toEqual({ highs: [5, 1, 1.3, 1.4] });
    await expect(run(collect, { state: { version: 1, value } })).rejects.toThrow('add state.migrate');
  });

  it('ends the run when it cannot be kept', async () => {
    await expect(run('onBar: (bar, trade) => void trade.state.highs.push(NaN)')).rejects.toThrow(
      'trade.state.highs[0] is NaN, which JSON does not support',
    );
  });

  it('is null for a strategy without one', async () => {
    expect((await run('', { definition: 'undefined' })).state).toBeNull();
  });
});
