import { Decimal } from 'decimal.js';
import {
  CopyTicks,
  DealEntry,
  DealType,
  OrderType,
  PositionType,
  SymbolCalcMode,
  type TradeDeal,
  type TradeOrder,
} from '@libs/terminal-client';
import { RandomTrader, type Scene } from './testing/random-trader';
import { RunningSimulator, symbolLike } from './testing/running-simulator';
import { catalogue } from './symbols/catalogue';
import type { SymbolSpec } from './symbols/symbol-spec';
import type { OpenPosition } from './trading/book';
import type { MarginModeName } from './simulator-options';
import { assets } from './symbols/assets';
import { Conversion } from './money/conversion';
import { rounded } from './money/decimals';
import { profitInDeposit } from './money/profit';
import { effort } from '../../../test/setup/effort';

/** Requests on them go by their own price, and what one quote cannot fill waits for the next. */
const shallow: Readonly<Record<string, SymbolSpec>> = {
  GBPUSD: symbolLike('GBPUSD', { trade_exemode: 1, market: { depth: 0.1 } }),
  US500: symbolLike('US500', { market: { depth: 1 } }),
};
const symbols = ['EURUSD', 'USDJPY', 'EURJPY', 'XAUUSD', 'US500', 'GBPUSD', 'EURUSD.m'];

/** A run of random trading: what the requests came to, and the simulator as it stood at the end. */
class RandomRun {
  readonly retcodes = new Map<number, number>();

  constructor(
    readonly sim: RunningSimulator,
    private readonly trader: RandomTrader,
  ) {}

  async operate(operations: number, check: () => Promise<void>): Promise<void> {
    for (let operation = 0; operation < operations; operation++) {
      const scene = await this.scene(symbols[this.trader.below(symbols.length)] ?? 'EURUSD');
      const { retcode } = await this.sim.send(this.trader.request(scene));
      this.retcodes.set(retcode, (this.retcodes.get(retcode) ?? 0) + 1);
      this.sim.clock.advanceSync(this.trader.below(8_000));
      if (operation % 50 === 0) await check();
    }
    await check();
  }

  private async scene(symbol: string): Promise<Scene> {
    const { client } = this.sim;
    const spec = this.sim.simulator.options.symbols.find(({ name }) => name === symbol);
    const tick = await client.symbolInfoTick(symbol);
    return {
      symbol,
      digits: spec?.digits ?? 5,
      bid: tick?.bid ?? 0,
      ask: tick?.ask ?? 0,
      volumeStep: spec?.volume_step ?? 0.01,
      positions: await client.positionsGet(),
      orders: await client.ordersGet(),
    };
  }
}

const start = async (marginMode: MarginModeName, seed: number): Promise<RandomRun> => {
  const sim = await RunningSimulator.start(
    {
      hours: 'market',
      // Two symbols with little depth, so that orders are filled in parts.
      symbols: catalogue.map((spec) => shallow[spec.name] ?? spec),
      account: { marginMode, balance: 20_000, limitOrders: 40, limitPositions: 40 },
      feed: { kind: 'generated', seed, assets, historyDays: 30 },
    },
    Date.UTC(2024, 4, 13, 6),
  );
  return new RandomRun(sim, new RandomTrader(seed, marginMode === 'hedging'));
};
const plus = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum.add(value), new Decimal(0)).toNumber();

describe.each([
  ['hedging', effort(5_000, 60_000)],
  ['netting', effort(4_000, 40_000)],
  ['exchange', effort(4_000, 40_000)],
] as const)('%s: over %d random operations', (marginMode, operations) => {
  let run: RandomRun;
  let deals: TradeDeal[];

  beforeAll(async () => {
    run = await start(marginMode, 2024);
    await run.operate(operations, () => expectConsistentAccount(run.sim, marginMode));
    deals = await run.sim.client.historyDealsGet({ from: 0, to: 1e11 });
  });

  it('really trades: much is done, and much refused for many reasons', () => {
    expect(run.retcodes.get(10009)).toBeGreaterThan(operations / 10);
    expect(run.retcodes.get(10010)).toBeGreaterThan(operations / 200);
    expect(run.retcodes.size).toBeGreaterThan(8);
    expect(new Set(deals.map(({ reason }) => reason)).size).toBeGreaterThanOrEqual(4);
  });

  it('the deals sum to the balance', async () => {
    const results = deals.map(({ profit, swap, commission, fee }) => plus([profit, swap, commission, fee]));
    expect(plus(results)).toBe(await run.sim.balance());
  });

  it('the volume in less the volume out is the open volume of each position', async () => {
    const open = new Map<number, Decimal>();
    for (const { type, position_id, volume } of deals) {
      if (type === DealType.BALANCE) continue;
      const signed = type === DealType.BUY ? volume : -volume;
      open.set(position_id, (open.get(position_id) ?? new Decimal(0)).add(signed));
    }
    const positions = await run.sim.client.positionsGet();
    const held = new Map(positions.map((p) => [p.identifier, p.type === PositionType.BUY ? p.volume : -p.volume]));
    for (const [identifier, volume] of open) expect(volume.toNumber()).toBe(held.get(identifier) ?? 0);
    for (const identifier of held.keys()) expect(open.has(identifier)).toBe(true);
  });

  it('every fill is at the quote of its instant', async () => {
    // A close-by goes at an open price, not at a quote.
    const fills = deals.filter(({ symbol, entry }) => symbol !== '' && entry !== DealEntry.OUT_BY);
    const step = Math.ceil(fills.length / 400);
    for (const deal of fills.filter((_, at) => at % step === 0)) {
      const from = deal.time_msc - 600_000;
      const ticks = await run.sim.client.copyTicksRange(deal.symbol, from, deal.time_msc, CopyTicks.ALL);
      const last = (ticks?.time.length ?? 0) - 1;
      expect([ticks?.bid[last], ticks?.ask[last]]).toContain(deal.price);
    }
  });

  it('every order came to an end that its deals agree with', async () => {
    const filled = new Map<number, Decimal>();
    for (const { order, volume } of deals) filled.set(order, (filled.get(order) ?? new Decimal(0)).add(volume));
    const wrong: TradeOrder[] = [];
    for (const order of await run.sim.historyOrders()) {
      const dealt = filled.get(order.ticket)?.toNumber() ?? 0;
      const expected = plus([order.volume_initial, -order.volume_current]);
      const agrees = Math.abs((order.type === OrderType.CLOSE_BY ? dealt / 2 : dealt) - expected) < 1e-8;
      if (!agrees || order.time_done_msc < order.time_setup_msc) wrong.push(order);
    }
    expect(wrong).toEqual([]);
  });

  it('tickets rise, and so do the times of deals', () => {
    const falling = deals.filter(({ ticket, time_msc }, at) => {
      const before = deals[at - 1];
      return before !== undefined && (ticket <= before.ticket || time_msc < before.time_msc);
    });
    expect(falling).toEqual([]);
  });
});

async function expectConsistentAccount({ client, simulator }: RunningSimulator, mode: MarginModeName): Promise<void> {
  const account = await client.accountInfo();
  const positions = await client.positionsGet();
  const orders = await client.ordersGet();
  if (!account) throw new Error('logged out');
  expect(account.profit).toBe(plus(positions.flatMap(({ profit, swap }) => [profit, swap])));
  expect(account.equity).toBe(plus([account.balance, account.profit]));
  expect(account.margin_free).toBe(plus([account.equity, -account.margin]));
  expect(positions.every(({ volume }) => volume > 0)).toBe(true);
  expect(orders.every(({ volume_current: left, volume_initial: all }) => left > 0 && left <= all)).toBe(true);
  if (mode !== 'hedging') expect(new Set(positions.map(({ symbol }) => symbol)).size).toBe(positions.length);
  const broker = simulator.terminal.brokerNow();
  const conversion = new Conversion(broker.market, account.currency);
  for (const { symbol, type, volume, price_open: open, price_current: close, profit } of positions) {
    const spec = broker.market.symbols.get(symbol)?.spec;
    const exactly = spec && profitInDeposit({ spec, type, volume, open, close }, conversion);
    expect(profit).toBe(exactly && rounded(exactly, 2).toNumber());
  }
  expect(
    Math.abs(plainMargin([...broker.book.positions.values()], broker.market.symbols) - account.margin),
  ).toBeLessThan(0.011);
}

/** The margin of forex and leveraged contracts at 1:100, by the plain formulas in doubles. */
function plainMargin(
  positions: readonly OpenPosition[],
  listed: ReadonlyMap<string, { readonly spec: SymbolSpec }>,
): number {
  let total = 0;
  for (const [name, { spec }] of listed) {
    const sides = [PositionType.BUY, PositionType.SELL].map((type) =>
      positions.filter((position) => position.symbol === name && position.type === type),
    );
    const volumes = sides.map((side) => side.reduce((sum, { volume }) => sum + volume, 0));
    const worth = (held: readonly OpenPosition[]): number => {
      const volume = held.reduce((sum, position) => sum + position.volume, 0);
      const mean = (field: 'price_open' | 'margin_rate'): number =>
        held.reduce((sum, position) => sum + position[field] * position.volume, 0) / volume;
      const price = spec.trade_calc_mode === SymbolCalcMode.FOREX ? 1 : mean('price_open');
      return (price * mean('margin_rate')) / 100;
    };
    const [buys = 0, sells = 0] = volumes;
    const covered = Math.min(buys, sells);
    const open = Math.abs(buys - sells);
    const larger = (buys >= sells ? sides[0] : sides[1]) ?? [];
    if (open > 1e-9) total += open * spec.trade_contract_size * worth(larger);
    if (covered > 0) total += covered * spec.margin_hedged * worth(sides.flat());
  }
  return total;
}
