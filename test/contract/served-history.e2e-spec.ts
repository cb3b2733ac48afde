import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderType, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { CleanUp } from './clean-up';
import { account, linkTo, ServedSimulator } from './subjects';

const order = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.01, type: OrderType.BUY };
/** More than two blocks of 256 rows. */
const orders = 520;

describe('the simulator in a process of its own', () => {
  const cleanUp = new CleanUp();
  afterAll(() => cleanUp.run());

  it('moves old history to files without a name, and reads it from there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'served-history-'));
    cleanUp.after(folder, async () => rmSync(folder, { recursive: true }));
    const env = { SIM_HISTORY_ROWS: '256', SIM_HISTORY_DIR: folder };
    const simulator = cleanUp.after(await ServedSimulator.start(env), (started) => started.stop());
    const terminal = cleanUp.after(linkTo(simulator.process.port), (link) => link.shutdown());
    await terminal.connect();
    await terminal.login(account);
    const tickets: number[] = [];
    for (let sent = 0; sent < orders; sent += 1) {
      const outcome = await terminal.orderSend(sealRequest(`intent-${sent}`, tradeRequest(order)));
      if (outcome.kind === 'answered') tickets.push(outcome.result.order);
    }

    expect(tickets).toHaveLength(orders);
    const deals = await terminal.historyDealsGet({ from: 0, to: 4_000_000_000 });
    expect(deals.map((deal) => deal.order)).toEqual([0, ...tickets]);
    expect(filesOf(simulator.process.pid ?? 0, folder)).toEqual([
      expect.stringMatching(/\(deleted\)$/),
      expect.stringMatching(/\(deleted\)$/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** The files that a process has open below a folder. */
function filesOf(pid: number, folder: string): string[] {
  const descriptors = `/proc/${pid}/fd`;
  return readdirSync(descriptors)
    .map((name) => readlinkSync(join(descriptors, name)))
    .filter((target) => target.startsWith(folder));
}
