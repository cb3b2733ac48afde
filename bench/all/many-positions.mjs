import { inTurns, ratioOf } from './rounds.mjs';
import { close, open, openMany } from './trades.mjs';

const ordersInRound = 20;

/** The gateway with thousands of positions, as a share of one with few. */
export async function manyPositionsRatios(few, many, count, { seconds, rounds }, load) {
  await openMany(many, count);
  const gateways = [many, few];
  const reads = gateways.map(
    (gateway) => () =>
      perCpuSecond(gateway, async () => {
        const { url, key } = gateway;
        return (await load({ url: `${url}/account`, key, connections: 50, seconds })).answers;
      }),
  );
  const [manyReads, fewReads] = await inTurns(rounds, reads);
  const orders = gateways.map((gateway) => () => ordersPerCpuSecond(gateway));
  const [manyOrders, fewOrders] = await inTurns(rounds * 2, orders);
  const yardstick = 'the same with 10 positions';
  return [
    { name: `read of account, ${count} positions`, yardstick, ratio: ratioOf(manyReads, fewReads), goal: '≥ 0.8' },
    { name: `POST /order, ${count} positions`, yardstick, ratio: ratioOf(manyOrders, fewOrders), goal: '≥ 0.8' },
  ];
}

async function ordersPerCpuSecond(gateway) {
  const tickets = [];
  const rate = await perCpuSecond(gateway, async () => {
    for (let order = 0; order < ordersInRound; order += 1) tickets.push(await open(gateway));
    return ordersInRound;
  });
  for (const ticket of tickets) await close(gateway, ticket);
  return rate;
}

/** Answers per second of the gateway's processor time. @param run resolves to the number of answers */
async function perCpuSecond(gateway, run) {
  const before = (await gateway.usage()).cpuSeconds;
  const answers = await run();
  return answers / ((await gateway.usage()).cpuSeconds - before);
}
