import { inTurns, ratioOf } from './rounds.mjs';
import { close, open } from './trades.mjs';

const rowsInWindow = 50;

/** The read of a window of a fixed number of deals, after more and more trades, as a share of the first one. */
export async function historyRatios(gateway, trades, { seconds, rounds }, load) {
  const path = await windowOf(gateway);
  const read = async () => {
    const before = (await gateway.usage()).cpuSeconds;
    const { answers } = await load({ url: `${gateway.url}${path}`, key: gateway.key, connections: 50, seconds });
    return answers / ((await gateway.usage()).cpuSeconds - before);
  };
  const [before] = await inTurns(rounds, [read]);
  for (let trade = 0; trade < trades; trade += 50) {
    const tickets = await Promise.all(Array.from({ length: 50 }, () => open(gateway)));
    await Promise.all(tickets.map((ticket) => close(gateway, ticket)));
  }
  const [after] = await inTurns(rounds, [read]);
  const name = `read of ${rowsInWindow} deals, ${2 * trades} deals later`;
  return [{ name, yardstick: 'the same before', ratio: ratioOf(after, before), goal: '≥ 0.8' }];
}

/** A window that ends before now, so that later trades are outside of it. */
async function windowOf(gateway) {
  const from = new Date().toISOString();
  for (let deal = 0; deal < rowsInWindow / 2; deal += 1) await close(gateway, await open(gateway));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const to = new Date(Date.now() - 1_000).toISOString();
  const path = `/history_deals_get?from_date=${from}&to_date=${to}`;
  const { total } = await gateway.json(path);
  if (total < rowsInWindow - 4) throw new Error(`the window has ${total} deals`);
  return path;
}
