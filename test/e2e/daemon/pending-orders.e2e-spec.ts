import { writeFileSync } from 'node:fs';
import type { PendingOrder } from '@libs/strategy';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { Scratch } from '../programs/scratch';
import { swingingMarket } from '../programs/markets';
import { configuration, DaemonProgram, strategyFile } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

const hears = `onFill(fill: Fill, trade: Trade) { trade.log('filled ' + fill.entry + ' ' + fill.volume, { intent: fill.intentId }); },
  onOrderGone(gone: OrderGone, trade: Trade) { ordersGone++; trade.log('gone ' + gone.kind + ' ' + gone.filled, { orders: trade.orders().length }); },`;
const limit = (below: number, more = '') =>
  `trade.buy('main', { volume: 0.5, kind: 'limit', price: bar.close - ${below} ${more} })`;

describe("a strategy's pending order", () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let proxy: FaultyProxy;
  let folder: string;

  beforeEach(async () => {
    folder = scratch.folder();
    // What a quote fills is a third of a lot, and what it does not is dropped or waits.
    const symbols = join(folder, 'symbols.json');
    writeFileSync(symbols, JSON.stringify({ symbols: [{ name: 'EURUSD', filling_mode: 2, market: { depth: 0.3 } }] }));
    gateway = await GatewayProgram.startReady(scratch, {
      ...swingingMarket(folder),
      SIM_SYMBOLS: symbols,
    });
    proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
  });
  afterEach(() => scratch.clear());

  const start = (onBar: string) => {
    const module = strategyFile(folder, 'probe', `if (trade.warmingUp) return; ${onBar}`, hears, 'let ordersGone = 0;');
    return DaemonProgram.start(scratch, {
      config: configuration(folder, proxy.url, [{ name: 'probe', module }]),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key', DAEMON_LATENCY_TRACKING: '1' },
    });
  };
  const logs = async (daemon: DaemonProgram, pattern: RegExp): Promise<string> => {
    const { lines } = await daemon.until<{ lines: string[] }>('/logs/probe', (body) => {
      return body.lines.some((line) => pattern.test(line));
    });
    return lines.find((line) => pattern.test(line)) ?? '';
  };
  const waiting = async () => (await gateway.call('/orders')).body.data as object[];
  const fills = async (daemon: DaemonProgram): Promise<number> => {
    const { body } = await daemon.call<{ strategies: Record<string, Record<string, { count: number }>> }>('/latency');
    return body.strategies['probe']?.['submission_to_fill']?.count ?? 0;
  };

  it('is shown, and filled later: in parts, under its intent, and counted', async () => {
    // The first is out of reach, so that what is shown of it stands still. When it is cancelled, one on either side follows:
    // whichever way the market goes, one of them is reached soon. It goes ten pips in a second: nearer, an order came too late at times.
    const above = `trade.sell('main', { volume: 0.5, kind: 'limit', price: bar.close + 0.0012 })`;
    const daemon = await start(
      `if (bars === 1) ${limit(0.2)};
       if (ordersGone === 1) { ordersGone++; trade.log('placed', { buy: ${limit(0.0012)}, sell: ${above} }); }`,
    );
    const shown = await daemon.untilStatus('probe', ({ pendingOrders }) => pendingOrders.length === 1);
    expect(shown).toMatchObject({ trades: 0, pendingOrders: [{ kind: 'limit', volume: 0.5 }] });
    expect(await fills(daemon)).toBe(0);
    await gateway.trade(`/orders/${shown.pendingOrders[0]?.ticket}`, {}, 'DELETE');
    await daemon.untilStatus('probe', ({ positions, pendingOrders, trades }) => {
      if (trades < 2) return false;
      return positions[0]?.volume === 0.5 && pendingOrders.every(({ ticket }) => ticket !== positions[0]?.ticket);
    });
    const [, buy, sell] = /placed \{"buy":"([^"]+)","sell":"([^"]+)"/.exec(await logs(daemon, /placed/)) ?? [];
    const [, intent] = /"intent":"([^"]+)"/.exec(await logs(daemon, /filled in 0\.3/)) ?? [];
    expect([buy, sell]).toContain(intent);
    expect(await logs(daemon, /filled in 0\.2/)).toContain(`"intent":"${intent}"`);
    expect(await fills(daemon)).toBeGreaterThanOrEqual(1);
  });

  it('is cancelled by it: gone by its next event, and reported', async () => {
    const daemon = await start(`if (bars === 1) { ${limit(0.2)}; ${limit(0.1)}; }
      if (bars === 3) trade.cancel(trade.orders()[0] ?? 0);
      if (bars === 4) trade.log('waiting ' + trade.orders().length);`);
    expect(await logs(daemon, /gone cancelled/)).toContain('gone cancelled 0 {"orders":1}');
    await logs(daemon, /waiting 1/);
    expect(await waiting()).toHaveLength(1);
  });

  it('is changed by it, and keeps its new expiration over a kill -9', async () => {
    const day = 24 * 60 * 60_000;
    const until = `expirationMs: bar.timeMs + 20 * 60_000`;
    const change = `{ price: bar.close - 0.1, tp: bar.close, expirationMs: bar.timeMs + ${day} }`;
    let daemon = await start(`if (bars === 1) ${limit(0.2, `, sl: bar.close - 0.3, ${until}`)};
      if (bars === 3) trade.modify(trade.orders()[0] ?? 0, ${change});
      if (bars === 4) trade.log('has ' + JSON.stringify(trade.orders()));`);
    const line = await logs(daemon, /has /);
    const listed = (text: string): string => text.slice(text.lastIndexOf(' [') + 1, text.lastIndexOf(']') + 1);
    const [order] = JSON.parse(listed(line)) as PendingOrder[];
    expect(order?.price).toBeGreaterThan(1);
    expect(await waiting()).toMatchObject([{ price_open: order?.price, sl: order?.sl, tp: order?.tp }]);
    await daemon.kill();
    // Its first expiration has passed when the bar after it comes: the daemon does not cancel it for that.
    daemon = await start(`if (bars === 30) trade.log('kept ' + JSON.stringify(trade.orders()));`);
    const kept = await logs(daemon, /kept /);
    expect(JSON.parse(listed(kept))).toEqual([order]);
  });

  it('expires at its time, and it hears of it', async () => {
    const daemon = await start(`if (bars === 1) ${limit(0.2, ', expirationMs: bar.timeMs + 20 * 60_000')};`);
    await daemon.untilStatus('probe', ({ pendingOrders }) => pendingOrders.length === 1);
    await logs(daemon, /gone expired 0/);
    expect(await daemon.status('probe')).toMatchObject({ pendingOrders: [], trades: 0 });
  });

  it('is kept over a kill -9, and noticed when it is cancelled by hand', async () => {
    let daemon = await start(`if (bars === 1) ${limit(0.2)};`);
    const before = await daemon.untilStatus('probe', ({ pendingOrders }) => pendingOrders.length === 1);
    await daemon.kill();
    daemon = await start('');
    const after = await daemon.untilStatus('probe', ({ state }) => state === 'running');
    expect(after.pendingOrders).toEqual(before.pendingOrders);
    await gateway.trade(`/orders/${before.pendingOrders[0]?.ticket}`, {}, 'DELETE');
    await logs(daemon, /gone cancelled/);
    expect(await daemon.status('probe')).toMatchObject({ pendingOrders: [], halted: false });
  });

  it('is cancelled when another one of its group fills, also after a kill -9 before the cancellation', async () => {
    let mayCancel = false;
    proxy.fault = (method) => (method === 'DELETE' && !mayCancel ? 'lost-before' : null);
    const order = `stream: 'main', kind: 'limit', volume: 0.5`;
    // The market turns at 1.1: an order below that would never be filled.
    let daemon = await start(`if (ordersGone === 0 && bar.close > 1.1015) { ordersGone++; trade.oco([
      { ${order}, side: 'buy', price: bar.close - 0.0012 },
      { ${order}, side: 'sell', price: bar.close + 0.2 },
    ]); }`);
    await daemon.untilStatus('probe', ({ trades }) => trades >= 1);
    expect(await waiting()).toMatchObject([{ volume_initial: 0.5 }]);
    await daemon.kill();
    mayCancel = true;
    daemon = await start('');
    const after = await daemon.untilStatus('probe', ({ pendingOrders, positions }) => {
      return pendingOrders.length === 0 && positions.length === 1;
    });
    // The fill in parts goes on: what is cancelled is the other order.
    expect(after).toMatchObject({ positions: [{ volume: 0.5 }], halted: false });
    expect(await waiting()).toEqual([]);
  });

  it('goes with every other when it is halted, however often a cancel fails', async () => {
    let failures = 3;
    proxy.fault = (method) => (method === 'DELETE' && failures-- > 0 ? 'bad-gateway' : null);
    const daemon = await start(`if (bars === 1) { ${limit(0.2)}; ${limit(0.1)}; ${limit(0.15)}; }
      if (bars > 4) throw new Error('no idea');`);
    await daemon.untilStatus('probe', ({ pendingOrders }) => pendingOrders.length === 3);
    await daemon.untilStatus('probe', ({ halted }) => halted);
    await daemon.untilStatus('probe', ({ pendingOrders }) => pendingOrders.length === 0);
    expect(await waiting()).toEqual([]);
    expect(failures).toBeLessThan(0);
  });

  it('at the market brings what its deals say, when not all of it is filled', async () => {
    const daemon = await start(`if (bars === 1) trade.buy('main', { volume: 0.5 });`);
    const status = await daemon.untilStatus('probe', ({ trades }) => trades === 1);
    expect(status).toMatchObject({ trades: 1, positions: [{ volume: 0.3 }] });
    await logs(daemon, /gone cancelled 0\.3/);
  });
});
