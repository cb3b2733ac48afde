import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HistoryQuery } from '@libs/terminal-client';
import { MemoryDisk } from '../testing/memory-disk';
import { RunningSimulator, TUESDAY } from '../testing/running-simulator';
import type { HistoryDisk } from '../trading/history-disk';

/** Two deals and two orders each: more than a line of the state file has of each. */
const trades = 600;
const whole = { from: 0, to: 1e11 };

describe('an account with a history on disk', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'history-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = (disk: HistoryDisk | null, stateFile?: string): Promise<RunningSimulator> => {
    const options = { historyRows: 256, account: { balance: 1e6 }, ...(stateFile === undefined ? {} : { stateFile }) };
    return RunningSimulator.start(options, TUESDAY, disk);
  };
  const trade = async (sim: RunningSimulator): Promise<void> => {
    for (let index = 0; index < trades; index += 1) {
      await sim.buy(0.1, { comment: `order ${index}` });
      sim.clock.advanceSync(1_000);
      await sim.close(await sim.position());
      sim.clock.advanceSync(1_000);
    }
  };
  const read = async ({ client }: RunningSimulator, query: HistoryQuery): Promise<unknown> => ({
    deals: await client.historyDealsGet(query),
    orders: await client.historyOrdersGet(query),
  });
  const answers = async (sim: RunningSimulator): Promise<unknown> => {
    const [first, , , old] = await sim.deals();
    const serverSeconds = old?.time ?? 0;
    return {
      whole: await read(sim, whole),
      window: await read(sim, { from: serverSeconds, to: serverSeconds + 20 }),
      position: await read(sim, { position: first?.position_id ?? 0 }),
      ticket: await read(sim, { ticket: old?.order ?? 0 }),
      account: await sim.client.accountInfo(),
    };
  };

  it('answers as one with all rows in memory, also after a restart from its state file', async () => {
    const inMemory = await start(null);
    const disk = new MemoryDisk();
    const stateFile = join(folder, 'state');
    const onDisk = await start(disk, stateFile);
    await trade(inMemory);
    await trade(onDisk);
    const expected = await answers(inMemory);
    expect(disk.files.map(({ length }) => length > 20_000)).toEqual([true, true]);
    expect(await answers(onDisk)).toEqual(expected);
    await onDisk.simulator.stop();
    expect(disk.files.map(({ length }) => length)).toEqual([0, 0]);

    for (const restartedOn of [new MemoryDisk(), null]) {
      const restarted = await start(restartedOn, stateFile);
      restarted.clock.advanceSync(trades * 2_000);
      expect(await answers(restarted)).toEqual(expected);
      expect(restartedOn?.files.length ?? 2).toBe(2);
      expect(readFileSync(stateFile, 'utf8').match(/\n/g)).toHaveLength(2);
      await restarted.simulator.stop();
    }
  });

  it('fails the read of rows that the disk does not return, and trades on', async () => {
    const disk = new MemoryDisk();
    const sim = await start(disk);
    await trade(sim);
    disk.isUnreadable = true;
    await expect(sim.client.historyDealsGet(whole)).rejects.toThrow('failed');
    expect(await sim.client.lastError()).toMatchObject({ code: -1 });
    await expect(sim.client.historyOrdersGet(whole)).rejects.toThrow('failed');
    const { order } = await sim.buy(0.1);
    expect(await sim.client.historyDealsGet({ ticket: order })).toHaveLength(1);
  });
});
