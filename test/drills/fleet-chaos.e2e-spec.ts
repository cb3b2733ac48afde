import { DealEntry } from '@libs/trade-constants';
import type { TradeDeal } from '@libs/terminal-client';
import { holdersInTurn } from '../e2e/daemon/fleet-rig';
import { describeWithPostgres } from '../e2e/programs/postgres';
import { Scratch } from '../e2e/programs/scratch';
import { effort } from '../setup/effort';
import { testSeed } from '../setup/test-seed';
import { ChaosFleet, isolations, kinds } from './chaos-fleet';

const disturbances = Number(process.env['CHAOS_FLEET'] ?? effort(8, 50));
/** In seconds since the epoch: the market runs ahead of the clock. */
const farAhead = 4_102_444_800;
/** A disturbance takes some seconds; a drill that hangs ends with what it waited for. */
const disturbanceMs = 120_000;

describeWithPostgres('a fleet under load', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it(`sends nothing twice, and has the ledger of the broker, over ${disturbances} kills, pauses, partitions and outages`, async () => {
    const fleet = await ChaosFleet.start(scratch);
    for (let number = 0; number < disturbances; number++) {
      const kind = kinds[(testSeed() + number) % kinds.length] ?? 'kill -9';
      await endingWithin(disturbanceMs, kind, fleet.disturb(kind));
    }
    const { hosts, broker } = fleet;
    const holder = fleet.on(await fleet.holder());
    await hosts.gateway.call('/kill', { method: 'POST' });
    const status = await holder.untilStatus('probe', ({ orders }) => orders.blocked >= 1 && orders.inFlight === 0);
    // Of the broker itself, past the gateway and the daemons.
    const lists = await broker.look(async (terminal) => ({
      positions: await terminal.positionsGet(),
      deals: await terminal.historyDealsGet({ from: 0, to: farAhead }),
    }));
    const trades = lists.deals.filter(({ entry, type }) => type <= 1 && entry !== DealEntry.INOUT);
    process.stdout.write(summaryOf(fleet, trades));
    expect(status.positions.map(({ ticket }) => ticket)).toEqual(lists.positions.map(({ ticket }) => ticket));
    expect(status.realized.toFixed(6)).toBe(resultOf(trades).toFixed(6));
    expect(trades.map(({ entry }) => entry)).toEqual(trades.map((_, index) => index % 2));
    expect(new Set(hosts.sentKeys).size).toBe(hosts.sentKeys.length);
    expect(holdersInTurn(hosts.sentUnder)).not.toBeNull();
    expect(trades.length).toBeGreaterThan(disturbances);
    // One at least for each isolation: the request that was held.
    const isolated = fleet.times.filter(({ kind }) => isolations.some((one) => one === kind));
    expect(fleet.lateAnswers.length).toBeGreaterThanOrEqual(isolated.length);
    expect(fleet.lateAnswers.filter((answer) => !isHarmless(answer))).toEqual([]);
  });
});

/** @throws Error when the work takes longer */
async function endingWithin(limitMs: number, what: string, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not end within ${limitMs / 1_000} s`)), limitMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whether a late request was refused, or answered with what the next holder has made of its key. */
function isHarmless({ kind, status, isReplayed }: ChaosFleet['lateAnswers'][number]): boolean {
  if (kind === 'partition, then gateway') return status === 412;
  return status === 412 || status === 422 || isReplayed;
}

/** In the account's currency. */
function resultOf(deals: readonly TradeDeal[]): number {
  return deals.reduce((sum, { profit, commission, swap, fee }) => sum + profit + commission + swap + fee, 0);
}

function summaryOf(fleet: ChaosFleet, trades: readonly TradeDeal[]): string {
  const lines = kinds.flatMap((kind) => {
    const all = fleet.timesOf(kind).map((ms) => ms / 1_000);
    return all.length === 0
      ? []
      : [`${kind}: ${all.length} times, at most ${Math.max(...all).toFixed(1)} s to a trade`];
  });
  const late = fleet.lateAnswers.map(({ status, isReplayed }) => `${status}${isReplayed ? ' replayed' : ''}`);
  const sent = `${fleet.hosts.sentKeys.length} requests sent, ${trades.length} deals`;
  const refused = `${fleet.refusedAfterPause} of hosts that were paused, all refused`;
  return `${lines.join('\n')}\n${sent}, late: ${late.join(', ') || 'none'}; ${refused}\n`;
}
