import { daemonPlan, measureDaemon } from '../daemon/measurement.mjs';
import { StartedGateway } from '../started-gateway.mjs';
import { durableOrders, manyOrders } from './durable-orders.mjs';
import { historyRatios } from './history.mjs';
import { LinkedGateway } from './linked-gateway.mjs';
import { manyPositionsRatios } from './many-positions.mjs';
import { memoryOf } from './memory.mjs';
import { linkOrders, linkRows } from './over-link.mjs';
import { ownTradeWaits } from './own-trades.mjs';
import { readRatios } from './reads.mjs';
import * as tables from './tables.mjs';
import { tickLatency } from './tick-latency.mjs';
import { openMany } from './trades.mjs';

const settings = { SIM_BALANCE: '100000000' };
const flushes = [0, 1, 5, 10];
const clientCounts = [1, 16, 64];

/** What `npm run bench:all` measures, in the order in which it prints it. Each resolves to its tables and its figures. */
export const parts = { link, reads, orders, memory, strategies };

async function link({ callMs, linkTimes: times, positions, seconds, orders }) {
  const linked = await LinkedGateway.start(settings);
  try {
    const shortTimes = Math.ceil(orders / 20);
    const waits = await linkRows(linked, { callMs, times, positions, shortTimes });
    await linked.takeFor(callMs);
    const trades = await ownTradeWaits(linked.gateway, Math.ceil(times / 2));
    const ticks = await tickLatency(linked.gateway, 5 * seconds);
    const rates = await linkOrders(linked, { callMs, seconds, clientCounts });
    const printed = [tables.linkWaits(callMs, waits), tables.linkRates(callMs, rates), tables.waits(trades, ticks)];
    return { tables: printed, waits, rates, trades, ticks };
  } finally {
    await linked.stop();
  }
}

async function reads({ seconds, rounds, trades, positions }) {
  const effort = { seconds, rounds };
  const few = await StartedGateway.start(settings);
  const many = await StartedGateway.start(settings);
  try {
    // Only now are its packages sure to be there.
    const { load } = await import('../load.mjs');
    await openMany(few, 3, { magic: 3 });
    await openMany(few, 7);
    const rows = await readRatios(few, effort, load);
    const waits = await ownTradeWaits(few, trades);
    const ticks = await tickLatency(few, 5 * seconds);
    rows.push(...(await historyRatios(few, trades, effort, load)));
    rows.push(...(await manyPositionsRatios(few, many, positions, effort, load)));
    return { tables: [tables.ratios(rows), tables.waits(waits, ticks)], rows, waits, ticks };
  } finally {
    for (const gateway of [few, many]) await gateway.stop();
  }
}

async function orders({ seconds, orders: count }) {
  const rows = await durableOrders(flushes, seconds);
  const row = await manyOrders(count);
  return { tables: [tables.durable(rows), tables.inRow(count, row)], rows, row };
}

/** Of a gateway without the broker in its process, then with it. */
async function memory({ orders: count }) {
  const linked = await LinkedGateway.start(settings);
  const apart = await memoryOf(linked.gateway, count).finally(() => linked.stop());
  const gateway = await StartedGateway.start(settings);
  const embedded = await memoryOf(gateway, count).finally(() => gateway.stop());
  return { tables: [tables.memory({ apart, embedded })], apart, embedded };
}

/** Over the link, at the pace of a real market; then on the embedded simulator, with a thread each and in groups. */
async function strategies({ strategies: count, groupSize, callMs }) {
  // A terminal that takes one call at a time has time for 3.3 of them in a second: an order of all strategies in six seconds.
  const link = { callMs, speed: 1, orderEverySeconds: 1_800, deploySeconds: 240 };
  const runs = { link, threads: {}, groups: { groupSize } };
  const measured = {};
  for (const [name, given] of Object.entries(runs)) {
    measured[name] = await measureDaemon(daemonPlan({ ...given, strategies: count }));
    process.stderr.write('.');
  }
  return { tables: [tables.strategies(measured)], ...measured };
}
