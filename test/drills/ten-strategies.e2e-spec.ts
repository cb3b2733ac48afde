import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Decimal } from 'decimal.js';
import { effort } from '../setup/effort';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { priceFiles } from '../e2e/programs/prices';
import { Scratch } from '../e2e/programs/scratch';
import { repository } from '../e2e/programs/started-program';
import { configuration, DaemonProgram, type StatusBody, type StrategyText } from '../e2e/daemon/daemon-program';

/** How much of February 2023 is replayed. */
const days = effort(12, 28);
/** Market seconds in a second: the month, weekends and all, takes a minute and a half. */
const speed = '30000';
const firstMagic = 42_001;
const settledMs = 2_000;

type Member = StatusBody & { readonly name: string; readonly magic: number };

interface Deal {
  readonly ticket: number;
  readonly position_id: number;
  readonly magic: number;
  readonly type: number;
  readonly entry: number;
  readonly profit: number;
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
}

const ema = (timeframe: string, fast: number, slow: number, more: object = {}) =>
  ({ file: 'ema-cross', timeframe, params: { fast, slow, volume: 0.1, ...more } }) as const;
const donchian = (timeframe: string, channel: number, exit: number, layers: number) =>
  ({ file: 'donchian-stack', timeframe, params: { channel, exit, layers } }) as const;
const reversion = (timeframe: string, length: number, enterZ: number) =>
  ({ file: 'mean-reversion', timeframe, params: { length, enterZ } }) as const;

const ten = [
  ema('M1', 12, 26),
  ema('M1', 20, 50),
  ema('M1', 30, 90, { stopAtr: 3, targetAtr: 6 }),
  ema('M5', 5, 13),
  donchian('M1', 55, 20, 3),
  donchian('M5', 40, 15, 4),
  donchian('M15', 20, 10, 1),
  reversion('M1', 60, 2.5),
  reversion('M1', 120, 3),
  reversion('M5', 30, 2),
];

const strategies: readonly StrategyText[] = ten.map(({ file, timeframe, params }, index) => ({
  name: `${file}-${index + 1}`,
  module: join(repository, `strategies/${file}.ts`),
  magic: firstMagic + index,
  more: { params, streams: { main: `demo:GBPUSD@${timeframe}` } },
}));

const sum = (amounts: readonly (number | Decimal)[]): Decimal =>
  amounts.reduce<Decimal>((total, amount) => total.plus(amount), new Decimal(0));
const earnedBy = (deals: readonly Deal[]): Decimal =>
  sum(deals.flatMap(({ profit, commission, swap, fee }) => [profit, commission, swap, fee]));

describe(`an account that ten strategies trade for ${days} days of replayed prices`, () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('adds up to the cent: strategies, unattributed deals, balance', async () => {
    const prices = shortened(scratch.folder());
    const gateway = await GatewayProgram.startReady(scratch, {
      SIM_FEED: `replay:${prices.join(',')}`,
      SIM_SPEED: speed,
      SIM_BALANCE: '100000',
      TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    });
    const balance = async (): Promise<Decimal> => new Decimal((await gateway.call('/account')).body.balance as number);
    const before = await balance();
    const folder = scratch.folder();
    const daemon = await DaemonProgram.start(scratch, {
      config: configuration(folder, gateway.url, strategies),
      stateDir: join(folder, 'state'),
      env: { API_KEY: gateway.key },
    });
    await daemon.until<Member[]>('/status', (members) => members.every(({ state }) => state === 'running'));
    await tradeByHand(gateway);
    await gateway.until('/symbol_info_tick/GBPUSD', ({ body }) => body.time_utc === lastQuote(prices[0]));
    const members = await closedBooks(daemon);

    expect(members.map(({ name, missedBars }) => [name, missedBars])).toEqual(strategies.map(({ name }) => [name, 0]));
    const deals = await dealsOfTheReplay(gateway);
    const own = dealsByMagic(deals);
    for (const { name, magic, realized, trades } of members) {
      const booked = own.get(magic) ?? [];
      expect([name, trades, cents(realized)]).toEqual([name, booked.length, cents(earnedBy(booked))]);
    }
    // How many each makes depends on the speed of the machine: a bar that is too old when it comes opens nothing.
    expect(members.reduce((all, { trades }) => all + trades, 0)).toBeGreaterThan(100);
    const attributed = members.flatMap(({ magic }) => own.get(magic) ?? []);
    const unattributed = earnedBy(deals.filter((deal) => !attributed.includes(deal)));
    expect(unattributed.isZero()).toBe(false);
    const change = (await balance()).minus(before);
    expect(cents(sum(members.map(({ realized }) => realized)).plus(unattributed))).toBe(cents(change));
    expect(cents(earnedBy(deals))).toBe(cents(change));
    // What the daemon itself shows of it adds up as well.
    const { gateways } = await daemon.untilHealth((health) => health.gateways[0]?.account?.unattributed != null);
    const { account } = gateways[0] ?? {};
    expect(account?.balance).toBe((await balance()).toNumber());
    expect(cents(account?.strategies?.realized ?? 0)).toBe(cents(sum(members.map(({ realized }) => realized))));
    expect(cents(account?.unattributed?.balance ?? 0)).toBe(cents(before.plus(unattributed)));
    const floating = sum(members.map(({ unrealized }) => unrealized)).plus(account?.unattributed?.unrealized ?? 0);
    expect(cents(account?.equity ?? 0)).toBe(cents((await balance()).plus(floating)));
    expect(cents((await gateway.call('/account')).body.equity as number)).toBe(cents(account?.equity ?? 0));
    expect(members.map(({ orders }) => orders.unknown)).toEqual(members.map(() => 0));
  });
});

/** A person trades on the same account; no strategy owns those deals. */
async function tradeByHand(gateway: GatewayProgram): Promise<void> {
  const opened = await gateway.trade('/order', { symbol: 'GBPUSD', volume: 0.33, type: 'BUY' });
  const { order } = opened.body.result as { order: number };
  const closed = await gateway.trade('/close_position', { position: { ticket: order } });
  expect([opened.status, closed.status]).toEqual([200, 200]);
}

/** All strategies once nothing is in flight: the same for a while. */
function closedBooks(daemon: DaemonProgram): Promise<Member[]> {
  let last = '';
  let lastMs = 0;
  return daemon.until<Member[]>('/status', (members) => {
    const books = JSON.stringify(members.map(({ trades, realized, orders }) => [trades, realized, orders]));
    const isQuiet = members.every(({ orders, inboundQueueDepth }) => orders.inFlight + inboundQueueDepth === 0);
    if (!isQuiet || books !== last) [last, lastMs] = [books, performance.now()];
    return performance.now() - lastMs > settledMs;
  });
}

async function dealsOfTheReplay(gateway: GatewayProgram): Promise<Deal[]> {
  const { body, text } = await gateway.call('/history_deals_range?from_date=2023-02-01&to_date=2023-03-02');
  if (!Array.isArray(body.data)) throw new Error(`no deals: ${text}`);
  // The rest are the broker's own entries, such as the opening balance.
  return (body.data as Deal[]).filter(({ type }) => type === 0 || type === 1);
}

/** Each deal belongs to the strategy that opened its position, also if another one closed it. */
function dealsByMagic(deals: readonly Deal[]): ReadonlyMap<number, Deal[]> {
  const magicOf = new Map(deals.filter(({ entry }) => entry === 0).map((deal) => [deal.position_id, deal.magic]));
  const byMagic = new Map<number, Deal[]>();
  for (const deal of deals) {
    const magic = magicOf.get(deal.position_id) ?? deal.magic;
    byMagic.set(magic, [...(byMagic.get(magic) ?? []), deal]);
  }
  return byMagic;
}

const cents = (amount: Decimal | number): string => new Decimal(amount).toFixed(2);

/** Copies of the price files that end after the days of this test. */
function shortened(folder: string): [bid: string, ask: string] {
  const end = `2023-02-${String(days).padStart(2, '0')} 24`;
  const [bid, ask] = priceFiles.map((file) => {
    const copy = join(folder, basename(file));
    const rows = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(copy, rows.filter((row, index) => index === 0 || row < end).join('\n'));
    return copy;
  }) as [string, string];
  return [bid, ask];
}

/** When the last quote is stamped: a second before its last bar ends. */
function lastQuote(prices: string): string {
  const lastRow = readFileSync(prices, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  const openMs = Date.parse((lastRow.split(',')[0] ?? '').replace(' ', 'T'));
  return new Date(openMs + 59_000).toISOString();
}
