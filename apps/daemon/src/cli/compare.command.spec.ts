import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run';

const files = {
  data: ['bid', 'ask']
    .map((side) => join(__dirname, `../../../../.build/prices/gbpusd-m1-${side}-2023-02.csv`))
    .join(','),
  strategy: join(__dirname, '../../../../strategies/ema-cross.ts'),
};

describe('daemon compare', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compare-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  let printed = '';
  const command = async (...args: readonly string[]): Promise<string> => {
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
    printed = '';
    try {
      await run(args);
    } finally {
      write.mockRestore();
    }
    return printed;
  };
  const report = async (name: string, ...flags: readonly string[]): Promise<string> => {
    const out = join(folder, name);
    const period = ['--data', files.data, '--to', '2023-02-01T12:00'];
    await command('backtest', files.strategy, ...period, '--out', out, ...flags);
    return out;
  };

  it('shows what differs between two backtests: the setting, the figures and the trades', async () => {
    const [plain, dear] = [await report('plain.json'), await report('dear.json', '--commission', '3')];
    const text = await command('compare', plain, dear);
    expect(text).toMatch(/^\* +broker symbols +\S*"commissionPerLot":0\S* +\S*"commissionPerLot":3/m);
    expect(text).toMatch(/^\* +net profit +\S+ USD +\S+ USD$/m);
    expect(text).toMatch(/^ +rejects +0 +0$/m);
    expect(text).toMatch(/^trades +0 the same, \d+ changed, 0 only in the first, 0 only in the second$/m);
    expect(text).toMatch(/: realized \S+ \/ \S+, commission 0 \/ -0\.6$/m);
    expect(text).toMatch(/^ {2}and \d+ more$/m);
    const { trades } = JSON.parse(await command('compare', plain, dear, '--json')) as {
      trades: { changed: readonly { differs: readonly string[] }[] };
    };
    expect(new Set(trades.changed.flatMap(({ differs }) => differs))).toEqual(new Set(['realized', 'commission']));
    expect(await command('compare', plain, plain)).toContain('The settings are the same.');
  });

  it('names a file that is not a report, and what is missing in it', async () => {
    const other = join(folder, 'other.json');
    writeFileSync(other, '{"figures": {}}');
    await expect(command('compare', other, other)).rejects.toThrow(
      `${other} is not a report of backtest --out: it has no strategy, account, range, assumptions, trades`,
    );
    const members = { strategy: {}, account: {}, range: {}, assumptions: {}, figures: {}, trades: [] };
    writeFileSync(other, JSON.stringify(members));
    await expect(command('compare', other, other)).rejects.toThrow(`${other} lacks figures: another version wrote it`);
    writeFileSync(other, '{');
    await expect(command('compare', other, other)).rejects.toThrow(`${other} cannot be read: `);
    await expect(command('compare', other)).rejects.toThrow(`compare needs a second report beside ${other}`);
    await expect(command('compare')).rejects.toThrow('compare needs two reports');
    await expect(command('compare', other, other, '--days', '5')).rejects.toThrow(
      '--days is for the comparison of a live',
    );
  });
});
