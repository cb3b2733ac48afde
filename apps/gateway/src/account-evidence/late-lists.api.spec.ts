import type { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { OrderType, PositionType, TradeAction, type AccountInfo } from '@libs/terminal-client';
import { RudeGateway, type Habit } from './testing/rude-gateway';

const disk = (clock: VirtualClock) => new SimulatedDisk(clock, () => 0.5).view;
let rude: RudeGateway;
afterEach(() => rude.stop());

const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 };
const evidenceOf = async (): Promise<{ state: string; unexplained: { ticket: number }[] }> =>
  (await rude.get('/health')).body.account_evidence as { state: string; unexplained: { ticket: number }[] };

describe('a gateway whose terminal shows each list late', () => {
  beforeEach(async () => {
    rude = await RudeGateway.start(disk);
  });

  it('answers no list that lacks what the broker has acknowledged and no list has shown yet', async () => {
    const lateMs = { positionsMs: 4_000, ordersMs: 4_000, historyOrdersMs: 4_000, dealsMs: 4_000 };
    rude.simulator.faults.set({ kind: 'late-lists', ...lateMs, sums: true });
    const ticket = await rude.buy();
    const pending = { ...order, symbol: 'GBPUSD', type: 'BUY_LIMIT', price: 1.4 };
    const { body } = await rude.post('/order', pending);
    const resting = Number((body.result as { order: number }).order);
    const answers = async (...urls: string[]): Promise<unknown[]> => {
      const read = await Promise.all(urls.map((url) => rude.get(url)));
      return read.map(({ status, body: answered }) => [
        status,
        (answered['details'] as { tickets?: number[] } | undefined)?.tickets,
      ]);
    };
    expect(await answers('/get_positions?symbol=EURUSD', '/orders?symbol=GBPUSD')).toEqual([
      [503, [ticket]],
      [503, [resting]],
    ]);
    expect(await answers('/get_positions?symbol=USDJPY', '/orders?symbol=USDJPY')).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    await rude.clock.sleep(6_000);
    expect((await rude.get('/get_positions')).body).toMatchObject({ data: [{ ticket }] });
    expect((await rude.get('/orders')).body).toMatchObject({ data: [{ ticket: resting }] });
  });

  it.each([0, 5])(
    'answers no list that lacks the fill of a pending order on a clock that was set back by %d hours',
    async (hours) => {
      await rude.buy();
      await rude.clock.sleep(3_000);
      if (hours > 0) rude.simulator.faults.set({ kind: 'clock-offset', seconds: -hours * 3_600 });
      const ask = Number((await rude.get('/symbol_info_tick/GBPUSD')).body['ask']);
      const pending = { ...order, symbol: 'GBPUSD', type: 'BUY_LIMIT', price: Number((ask - 0.00005).toFixed(5)) };
      const { body } = await rude.post('/order', pending);
      const resting = Number((body.result as { order: number }).order);
      // Its ticket is higher than that of the pending order.
      await rude.buy({ symbol: 'US500', volume: 1 });
      await rude.clock.sleep(5_000);
      expect(await rude.get('/orders')).toMatchObject({ status: 200, body: { data: [{ ticket: resting }] } });
      rude.simulator.faults.set({ kind: 'late-lists', positionsMs: 20_000, dealsMs: 20_000, sums: true });
      const isFilled = async (): Promise<boolean> => (await rude.atBroker()).some(({ symbol }) => symbol === 'GBPUSD');
      for (let wait = 0; wait < 600 && !(await isFilled()); wait++) await rude.clock.sleep(1_000);
      await rude.clock.sleep(3_000);
      expect(await rude.get('/get_positions')).toMatchObject({ status: 503 });
      await rude.clock.sleep(25_000);
      expect((await rude.get('/get_positions?symbol=GBPUSD')).body).toMatchObject({ data: [{ ticket: resting }] });
      const events = (await rude.get('/events')).body.data as { event: string; deal?: { position_id: number } }[];
      expect(events.filter(({ event, deal }) => event === 'deal' && deal?.position_id === resting)).toHaveLength(1);
    },
  );

  it('does not call a fill partial of which the history lacks a deal', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    // Each order is filled by two deals, of which the history has only the first.
    const before = new Set(
      rude.simulator
        .direct()
        .historyDealsGet({ from: 0, to: 9e9 })
        .map((deal) => deal.ticket),
    );
    rude.habit = (list, rows) =>
      list !== 'historyDealsGet'
        ? rows
        : rows.map((row) => (before.has(row.ticket) ? row : { ...row, volume: Number(row['volume']) / 2 }));
    for (const bare of [false, true]) {
      rude.simulator.faults.set({ kind: 'zero-ack', times: 1, bare });
      const symbol = bare ? 'GBPUSD' : 'USDJPY';
      expect(await rude.post('/order', { symbol, type: 'BUY', volume: 0.1, magic: 7 })).toMatchObject({
        status: 200,
        body: { state: 'executed', partial_fill: false, remaining_volume: 0 },
      });
      await rude.clock.sleep(3_000);
      rude.habit = null;
      await rude.clock.sleep(3_000);
    }
    rude.habit = (list, rows) =>
      list === 'historyDealsGet' ? rows.map((row) => ({ ...row, volume: Number(row['volume']) / 2 })) : rows;
    rude.simulator.faults.set({ kind: 'zero-ack', times: 1 });
    expect(await rude.post('/close_position', { position: ticket })).toMatchObject({
      status: 200,
      body: { state: 'closed', closed_volume: 0.1, remaining_volume: 0 },
    });
  });

  it('explains what was traded after the clock of the server was set back by hours', async () => {
    const kept = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'clock-offset', seconds: -5 * 3_600 });
    const ticket = await rude.buy({ symbol: 'US500', volume: 1 });
    await rude.clock.sleep(5_000);
    expect((await rude.get('/health')).body.account_evidence).toMatchObject({ state: 'explained', unexplained: [] });
    expect(await rude.post('/close_position', { position: kept })).toMatchObject({ status: 200 });
    await rude.clock.sleep(5_000);
    expect((await rude.get('/health')).body.account_evidence).toMatchObject({ state: 'explained', unexplained: [] });
    expect((await rude.get('/account')).status).toBe(200);
    const events = (await rude.get('/events')).body.data as { event: string; deal?: { position_id: number } }[];
    const deals = events.filter(({ event }) => event === 'deal').map(({ deal }) => deal?.position_id);
    expect(deals).toEqual([kept, ticket, kept]);
  });

  it.each([1, 4])('explains what was traded after %d deals with a time in the future', async (count) => {
    const first = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'clock-offset', seconds: 3 * 86_400 });
    const tickets = [first];
    for (let deal = 0; deal < count; deal++) tickets.push(await rude.buy({ symbol: 'US500', volume: 1 }));
    await rude.clock.sleep(3_000);
    rude.simulator.faults.clear('clock-offset');
    expect(await rude.post('/close_position', { position: first })).toMatchObject({ status: 200 });
    await rude.clock.sleep(5_000);
    tickets.push(first, await rude.buy({ symbol: 'GBPUSD' }));
    await rude.clock.sleep(5_000);
    expect((await rude.get('/health')).body.account_evidence).toMatchObject({ state: 'explained', unexplained: [] });
    const events = (await rude.get('/events')).body.data as { event: string; deal?: { position_id: number } }[];
    expect(events.flatMap(({ event, deal }) => (event === 'deal' ? [deal?.position_id] : []))).toEqual(tickets);
  });

  it('does not tell a deal again whose time is shown a day later for a while', async () => {
    const tickets = [await rude.buy(), await rude.buy({ symbol: 'GBPUSD' })];
    await rude.clock.sleep(3_000);
    const later = (row: object): object =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => {
          if (typeof value !== 'number' || !/^time(_msc)?$/.test(name)) return [name, value as unknown];
          return [name, value + 86_400 * (name === 'time' ? 1 : 1_000)];
        }),
      );
    rude.habit = (list, rows) => (list === 'historyDealsGet' ? rows.map((row) => ({ ...row, ...later(row) })) : rows);
    for (const symbol of ['AUDUSD', 'USDCHF', 'USDCAD']) tickets.push(await rude.buy({ symbol }));
    await rude.clock.sleep(5_000);
    rude.habit = null;
    tickets.push(await rude.buy({ symbol: 'NZDUSD' }));
    await rude.clock.sleep(5_000);
    expect((await rude.get('/health')).body.account_evidence).toMatchObject({ state: 'explained', unexplained: [] });
    const events = (await rude.get('/events')).body.data as { event: string; deal?: { position_id: number } }[];
    expect(events.flatMap(({ event, deal }) => (event === 'deal' ? [deal?.position_id] : []))).toEqual(tickets);
  });
});

describe.each([
  ['hedging', 0],
  ['netting', 0],
  ['hedging', 5],
  ['netting', 5],
] as const)(
  'a %s account of which some lists are late, on a clock that was set back by %d hours',
  (marginMode, hours) => {
    const lists = ['positionsMs', 'ordersMs', 'historyOrdersMs', 'dealsMs'] as const;
    const numbers = hours === 0 ? Array.from({ length: 15 }, (_, index) => index + 1) : [1, 8, 15];
    const late = numbers.map((number) => lists.filter((_list, place) => (number >> place) % 2 === 1));
    beforeEach(async () => {
      rude = await RudeGateway.start(disk, {}, { marginMode });
      if (hours === 0) return;
      await rude.buy({ symbol: 'GBPUSD' });
      await rude.clock.sleep(3_000);
      rude.simulator.faults.set({ kind: 'clock-offset', seconds: -hours * 3_600 });
    });

    it.each(late.map((names) => [names.join(), names] as const))(
      'is never shown as it was before an order that was acknowledged: %s',
      async (_, names) => {
        const lateMs = Object.fromEntries(names.map((name) => [name, 4_000]));
        rude.simulator.faults.set({ kind: 'late-lists', ...lateMs, sums: true });
        const lots = async (url: string): Promise<number | null> => {
          const { status, body } = await rude.get(url);
          const all = status === 200 ? (body['data'] as { symbol: string; volume: number }[]) : null;
          const rows = all && all.filter(({ symbol }) => symbol === 'EURUSD');
          return rows && Number(rows.reduce((sum, { volume }) => sum + volume, 0).toFixed(2));
        };
        const isShownAs = async (open: number): Promise<void> => {
          for (let half = 0; half < 16; half++) {
            expect([half, [null, open]]).toEqual([half, expect.arrayContaining([await lots('/get_positions')])]);
            await rude.clock.sleep(500);
          }
          // Then it is shown, and nothing is waited for.
          expect(await lots('/get_positions')).toBe(open);
          expect((await rude.get('/orders')).status).toBe(200);
        };
        const first = await rude.buy();
        await isShownAs(0.1);
        await rude.buy({ volume: 0.2 });
        await isShownAs(0.3);
        expect((await rude.post('/close_position', { position: first, volume: 0.05 })).status).toBe(200);
        await isShownAs(0.25);
        expect((await rude.post('/close_position', { position: first })).status).toBe(200);
        await isShownAs(marginMode === 'hedging' ? 0.2 : 0);
        if (marginMode === 'netting') return;
        const { ticket = 0 } = (await rude.atBroker()).find(({ symbol }) => symbol === 'EURUSD') ?? {};
        const opposite = await rude.buy({ type: 'SELL' });
        await isShownAs(0.3);
        const closing = { action: TradeAction.CLOSE_BY, position: ticket, position_by: opposite };
        expect((await rude.post('/order_send', closing)).status).toBe(200);
        await isShownAs(0.1);
      },
    );
  },
);

describe('a netting account', () => {
  it('shows and keeps the levels that an entry has set since a change', async () => {
    rude = await RudeGateway.start(disk, {}, { marginMode: 'netting' });
    const position = await rude.buy();
    await rude.clock.sleep(3_000);
    const change = async (levels: object): Promise<number> =>
      (await rude.post('/modify_sl_tp', { position, ...levels })).status;
    expect(await change({ tp: 1.2 })).toBe(200);
    // An entry without levels takes those of the position.
    await rude.buy();
    await rude.clock.sleep(3_000);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [{ volume: 0.2, tp: 0 }] } });
    expect(await change({ sl: 0.95 })).toBe(200);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [{ sl: 0.95, tp: 0 }] } });
    // The same, and a part is closed by an order of the other side.
    expect(await change({ tp: 1.2 })).toBe(200);
    await rude.buy();
    await rude.buy({ type: 'SELL', volume: 0.25 });
    await rude.clock.sleep(3_000);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [{ volume: 0.05, tp: 0 }] } });
    expect(await change({ sl: 0.95 })).toBe(200);
  });
});

describe('a netting account whose lists are late', () => {
  it('keeps the stop-loss of a change while the list shows only the entry before it', async () => {
    rude = await RudeGateway.start(disk, {}, { marginMode: 'netting' });
    const position = await rude.buy();
    await rude.clock.sleep(3_000);
    const lateMs = { positionsMs: 4_000, ordersMs: 4_000, historyOrdersMs: 4_000, dealsMs: 4_000 };
    rude.simulator.faults.set({ kind: 'late-lists', ...lateMs, sums: true });
    await rude.buy();
    await rude.clock.sleep(1_500);
    const change = async (levels: object): Promise<number> =>
      (await rude.post('/modify_sl_tp', { position, ...levels })).status;
    // Its read shows the volume of before the entry.
    expect(await change({ sl: 0.95, tp: 1.2 })).toBe(200);
    const statuses: number[] = [];
    for (let half = 0; half < 20; half++) {
      statuses.push(await change({ tp: half % 2 === 0 ? 1.25 : 1.26 }));
      expect([half, await rude.atBroker()]).toMatchObject([half, [{ volume: 0.2, sl: 0.95 }]]);
      await rude.clock.sleep(500);
    }
    expect(statuses).toContain(200);
  });
});

describe('a gateway whose terminal is late with what the broker has acknowledged', () => {
  beforeEach(async () => {
    rude = await RudeGateway.start(disk);
  });

  it('does not answer with the balance from before a close that the broker has acknowledged', async () => {
    const ticket = await rude.buy({ volume: 1 });
    await rude.clock.sleep(3_000);
    const balance = rude.simulator.direct().accountInfo()?.balance ?? 0;
    rude.account = (shown) => {
      const equity = shown.equity + balance - shown.balance;
      const level = shown.margin === 0 ? 0 : (equity / shown.margin) * 100;
      return { balance, equity, margin_free: equity - shown.margin, margin_level: level };
    };
    expect((await rude.post('/close_position', { position: ticket })).status).toBe(200);
    for (let half = 0; half < 6; half++) {
      expect([half, await rude.get('/account')]).toMatchObject([half, { status: 503 }]);
      await rude.clock.sleep(500);
    }
    rude.account = {};
    await rude.clock.sleep(2_000);
    const now = rude.simulator.direct().accountInfo()?.balance;
    expect(now).not.toBe(balance);
    expect(await rude.get('/account')).toMatchObject({ status: 200, body: { balance: now } });
  });

  it('refuses a list with an order whose cancellation the broker has acknowledged, for a minute at most', async () => {
    let stays: { readonly ticket: number } | null = null;
    rude.habit = (list, rows) => {
      if (list !== 'ordersGet') return rows;
      stays = rows[0] ?? stays;
      return stays ? [{ ...stays }] : [];
    };
    const ticket = await rude.buy({ ...order, type: 'BUY_LIMIT', price: 0.98 });
    await rude.clock.sleep(3_000);
    expect((await rude.send('DELETE', `/orders/${ticket}`, {})).status).toBe(200);
    for (let half = 0; half < 6; half++) {
      const refused = { status: 503, body: { details: { tickets: [ticket] } } };
      expect([half, await rude.get('/orders')]).toMatchObject([half, refused]);
      await rude.clock.sleep(500);
    }
    await rude.clock.sleep(60_000);
    expect(await rude.get('/orders')).toMatchObject({ status: 200, body: { data: [{ ticket }] } });
    rude.habit = null;
    expect((await rude.get('/orders')).body.data).toEqual([]);
  });

  it.each([
    ['its lists of the history are late', {}],
    ['all its lists are late', { positionsMs: 4_000, ordersMs: 4_000, sums: true }],
  ])('answers no history without what the broker has acknowledged as filled, while %s', async (_, late) => {
    const kept = await rude.buy();
    const since = new Date(rude.clock.nowMs() - 3_600_000).toISOString();
    await rude.clock.sleep(5_000);
    rude.simulator.faults.set({ kind: 'late-lists', dealsMs: 4_000, historyOrdersMs: 4_000, ...late });
    const filledIn = (body: Record<string, unknown>) => body['result'] as { deal: number; order: number };
    const opened = filledIn((await rude.post('/order', { ...order, symbol: 'GBPUSD' })).body);
    const closed = filledIn((await rude.post('/close_position', { position: kept })).body);
    const ofFills = [
      ...[`/history_deals_get?from_date=${since}`, `/history_deals_get?position=${kept}`],
      ...[`/history_deals_get?ticket=${closed.order}`, `/history_deals_total?from_date=${since}`],
      ...[`/history_orders_get?from_date=${since}`, `/history_orders_get?ticket=${opened.order}`, '/reconcile'],
    ];
    const answers = async (urls: readonly string[]) => {
      const found: unknown[] = [];
      for (const url of urls) found.push([url, (await rude.get(url)).status]);
      return found;
    };
    expect(await answers(ofFills)).toEqual(ofFills.map((url) => [url, 503]));
    const before = '/history_deals_get?from_date=2020-01-01&to_date=2020-01-02';
    expect(await answers([before])).toEqual([[before, 200]]);
    await rude.clock.sleep(8_000);
    expect(await answers(ofFills)).toEqual(ofFills.map((url) => [url, 200]));
    expect(await rude.get(`/history_deals_get?position=${kept}`)).toMatchObject({
      body: { data: [{}, { ticket: closed.deal }] },
    });
  });

  it('answers a history that never shows the deal of an acknowledgement, after a minute', async () => {
    const hidden = new Set<number>();
    rude.habit = (list, rows) => (list === 'historyDealsGet' ? rows.filter(({ ticket }) => !hidden.has(ticket)) : rows);
    await rude.clock.sleep(3_000);
    const { body } = await rude.post('/order', order);
    const { deal, order: ticket } = body['result'] as { deal: number; order: number };
    hidden.add(deal);
    const read = () => rude.get(`/history_deals_get?ticket=${ticket}`);
    expect(await read()).toMatchObject({ status: 503, body: { details: { tickets: [deal] } } });
    await rude.clock.sleep(61_000);
    expect((await read()).status).toBe(200);
  });

  it('answers a history that numbers the deal otherwise than the acknowledgement', async () => {
    const others = new Set(
      rude.simulator
        .direct()
        .historyDealsGet({ from: 0, to: 1e11 })
        .map(({ ticket }) => ticket),
    );
    rude.habit = (list, rows) =>
      list === 'historyDealsGet'
        ? rows.map((row) => (others.has(row.ticket) ? row : { ...row, ticket: row.ticket + 1_000_000 }))
        : rows;
    await rude.clock.sleep(3_000);
    const { body } = await rude.post('/order', order);
    const { deal, order: ticket } = body['result'] as { deal: number; order: number };
    expect(await rude.get(`/history_deals_get?ticket=${ticket}`)).toMatchObject({
      ...{ status: 200, body: { data: [{ ticket: deal + 1_000_000 }] } },
    });
  });

  it('answers no row as it was before the changes that the broker has acknowledged', async () => {
    const ticket = await rude.buy();
    const pending = { ...order, type: 'BUY_LIMIT', price: 0.98 };
    const resting = Number(((await rude.post('/order', pending)).body.result as { order: number }).order);
    await rude.clock.sleep(3_000);
    const levels = async (sl: number, tp: number): Promise<void> => {
      expect(await rude.post('/modify_sl_tp', { position: ticket, sl, tp })).toMatchObject({ status: 200 });
    };
    await levels(0.95, 1.2);
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'late-lists', positionsMs: 4_000, ordersMs: 4_000, sums: true });
    await levels(0.96, 1.2);
    // Of two changes, the list may show what the first replaced.
    await levels(0.97, 1.2);
    expect(await rude.send('PUT', `/orders/${resting}`, { price: 0.975 })).toMatchObject({ status: 200 });
    const refused = (what: number) => ({ status: 503, body: { details: { tickets: [what] } } });
    expect(await rude.get('/get_positions')).toMatchObject(refused(ticket));
    expect(await rude.get('/orders')).toMatchObject(refused(resting));
    expect(await rude.get('/orders?symbol=USDJPY')).toMatchObject({ status: 200, body: { data: [] } });
    expect((await rude.get('/health')).body.account_evidence).toMatchObject({ state: 'explained' });
    await rude.clock.sleep(6_000);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 200, body: { data: [{ ticket, sl: 0.97 }] } });
    expect(await rude.get('/orders')).toMatchObject({ status: 200, body: { data: [{ price_open: 0.975 }] } });
  });

  it('believes a level that a person has set back, if a list has shown the change before, or after a minute', async () => {
    const ticket = await rude.buy();
    const set = async (sl: number): Promise<void> => {
      expect(await rude.post('/modify_sl_tp', { position: ticket, sl })).toMatchObject({ status: 200 });
    };
    const setByHand = (sl: number) => rude.byHand('EURUSD', { action: TradeAction.SLTP, position: ticket, sl });
    const shown = (sl: number) => ({ status: 200, body: { data: [{ sl }] } });
    await set(0.95);
    await set(0.96);
    expect(await rude.get('/get_positions')).toMatchObject(shown(0.96));
    await setByHand(0.95);
    expect(await rude.get('/get_positions')).toMatchObject(shown(0.95));
    await set(0.97);
    await setByHand(0.95);
    expect(await rude.get('/get_positions')).toMatchObject({ status: 503 });
    await rude.clock.sleep(60_000);
    expect(await rude.get('/get_positions')).toMatchObject(shown(0.95));
  });

  it('takes nothing for known of the lists of another account', async () => {
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    const since = Number((await rude.get('/events')).body.last_seq);
    const numbers = ['ticket', 'identifier', 'order', 'position_id'];
    rude.habit = (_list, rows) =>
      rows.map((row) => {
        const others = numbers.filter((name) => row[name]).map((name) => [name, Number(row[name]) + 5_000_000]);
        return { ...row, ...(Object.fromEntries(others) as object) };
      });
    await rude.clock.sleep(3_000);
    expect((await rude.get('/get_positions')).status).toBe(503);
    rude.habit = null;
    await rude.clock.sleep(3_000);
    expect((await rude.get('/get_positions')).body).toMatchObject({ data: [{ ticket }] });
    expect(await evidenceOf()).toMatchObject({ state: 'explained' });
    expect((await rude.get(`/events?since=${since}`)).body.data).toEqual([]);
  });

  it('checks no order as for another kind of account while the record of the account is half loaded', async () => {
    const tickets = [await rude.buy(), await rude.buy({ type: 'SELL' })];
    await rude.clock.sleep(3_000);
    for (const half of [{ margin_mode: 0 }, { currency: '' }]) {
      rude.account = half;
      const closeBy = { action: TradeAction.CLOSE_BY, position: tickets[0], position_by: tickets[1] };
      expect([half, (await rude.post('/order_send', closeBy)).status]).toEqual([half, 503]);
      rude.account = {};
      await rude.clock.sleep(20_000);
    }
    expect((await rude.get('/health')).body).toMatchObject({ status: 'healthy' });
    expect(await rude.atBroker()).toHaveLength(2);
  });
});

describe.each(['position', 'order'] as const)('a gateway whose terminal shows one %s for a short time', (noun) => {
  const list = noun === 'position' ? 'positionsGet' : 'ordersGet';
  const url = noun === 'position' ? '/get_positions' : '/orders';
  const ticketsAt = async (path: string): Promise<unknown> => {
    const { status, body } = await rude.get(path);
    return status === 200 ? (body['data'] as { ticket: number }[]).map(({ ticket }) => ticket) : status;
  };
  const resting = { ...order, type: 'BUY_LIMIT', price: 0.98 };
  const showFor = async (ms: number): Promise<void> => {
    await (noun === 'position' ? rude.buy() : rude.buy(resting));
    await rude.clock.sleep(3_000);
    const ghost = { ticket: 9_999, ...(noun === 'position' ? { identifier: 9_999, profit: 0 } : {}) };
    rude.habit = (name, rows) => (name === list && rows[0] ? [...rows, { ...rows[0], ...ghost }] : rows);
    await rude.clock.sleep(ms);
    rude.habit = null;
  };

  it.each([3_000, 15_000])('leaves what was shown for %d ms and never was to a person', async (ms) => {
    rude = await RudeGateway.start(disk);
    await showFor(ms);
    await rude.clock.sleep(60_000);
    expect([await ticketsAt(url), await evidenceOf()]).toMatchObject([503, { unexplained: [{ ticket: 9_999 }] }]);
    expect((await rude.post('/order', order)).status).toBe(503);
  });

  it('forgets nothing that may be open, however long lists, history and sums lack it', async () => {
    rude = await RudeGateway.start(disk);
    // The terminal has no trade since it last was closed.
    const kept: Habit = (name, rows) => {
      if (name === 'historyOrdersGet') return [];
      return name === 'historyDealsGet' ? rows.filter((row) => row['order'] === 0) : rows;
    };
    rude.habit = kept;
    const pending = { action: TradeAction.PENDING, type: OrderType.BUY_LIMIT, price: 0.98 };
    await rude.byHand('EURUSD', noun === 'position' ? {} : pending);
    await rude.clock.sleep(3_000);
    const balance = rude.simulator.direct().accountInfo()?.balance ?? 0;
    rude.habit = (name, rows) => (name === list ? [] : kept(name, rows));
    rude.account = (shown) => ({ ...sumsOf(0)({ ...shown, balance }), balance });
    await rude.clock.sleep(60_000);
    expect(await ticketsAt(url)).toBe(503);
    expect((await rude.post('/order', order)).status).toBe(503);
    rude.habit = null;
    rude.account = {};
    await rude.clock.sleep(5_000);
    expect(await ticketsAt(url)).toHaveLength(1);
  });
});

/** A terminal that computes the sums of its account from this part of what is open. */
const sumsOf =
  (part: number) =>
  ({ balance, profit, margin }: AccountInfo): Partial<AccountInfo> => {
    const shown = { profit: Number((profit * part).toFixed(2)), margin: margin * part };
    const equity = balance + shown.profit;
    const level = shown.margin === 0 ? 0 : (equity / shown.margin) * 100;
    return { ...shown, equity, margin_free: equity - shown.margin, margin_level: level };
  };

describe.each([
  ['hedging', 'for seconds'],
  ['hedging', 'over a restart'],
  ['netting', 'for seconds'],
  ['netting', 'over a restart'],
] as const)('a gateway whose terminal has sums as late as its list of positions: %s, %s', (marginMode, howLong) => {
  const settings = { FILL_CONFIRM_TIMEOUT_MS: '0', MAX_OPEN_VOLUME: '0.3' };
  const error = { status: 503, body: { error_type: 'account_not_synchronized' } };
  const pass = (): Promise<void> => (howLong === 'for seconds' ? rude.clock.sleep(8_000) : rude.restart());
  const expectNothingIsAffirmed = async (): Promise<void> => {
    for (const url of ['/get_positions', '/positions_total', '/account', '/reconcile'])
      expect([url, await rude.get(url)]).toMatchObject([url, error]);
    expect((await rude.get('/health')).body).toMatchObject({
      ...{ status: 'degraded', terminal_status: 'synchronizing', limits: [{ value: null }] },
    });
    expect((await rude.get('/health/ready')).status).toBe(503);
    expect(await rude.post('/order', order)).toMatchObject(error);
  };
  beforeEach(async () => {
    rude = await RudeGateway.start(disk, settings, { marginMode });
    await rude.clock.sleep(2_000);
  });

  it('affirms no list that lacks what an order of the history has filled', async () => {
    rude.habit = (list, rows) => {
      if (list === 'positionsGet') return [];
      return list === 'historyDealsGet' ? rows.filter((row) => row['order'] === 0) : rows;
    };
    rude.account = sumsOf(0);
    const ticket = await rude.buy();
    await pass();
    await expectNothingIsAffirmed();
    expect((await evidenceOf()).unexplained).toMatchObject([{ kind: 'fill_without_deals', ticket }]);
    expect(await rude.post('/close_all_positions', {})).toMatchObject(error);
    expect(await rude.post('/close_position', { position: ticket })).toMatchObject(error);
    expect((await rude.post('/kill?flatten=true', {})).body).toMatchObject({ flatten: { complete: false } });
    expect(await rude.atBroker()).toMatchObject([{ ticket, volume: 0.1 }]);
    rude.habit = null;
    rude.account = {};
    await rude.clock.sleep(3_000);
    expect((await rude.get('/get_positions')).body).toMatchObject({ data: [{ ticket }] });
    expect(await evidenceOf()).toMatchObject({ state: 'explained', unexplained: [] });
  });

  it('affirms no list that shows a position as it was before its latest deals', async () => {
    const ticket = await rude.buy({ volume: 0.2 });
    await rude.clock.sleep(3_000);
    const [before] = await rude.atBroker();
    rude.habit = (list, rows) => (list === 'positionsGet' ? [{ ticket, ...before, profit: -1 }] : rows);
    rude.account = (shown) => sumsOf(1)({ ...shown, profit: -1, margin: 200 });
    // On the netting account it is short by then.
    const change =
      marginMode === 'netting' ? { ...order, volume: 0.3, type: 'SELL' } : { position: ticket, volume: 0.1 };
    await rude.post(marginMode === 'netting' ? '/order' : '/close_position', change);
    await pass();
    await expectNothingIsAffirmed();
    expect((await evidenceOf()).unexplained).toMatchObject([{ kind: 'position_behind', ticket }]);
    const closed = await rude.post('/close_all_positions', {});
    const left = await rude.atBroker();
    // The close of what is shown would make the short position larger.
    const expected =
      marginMode === 'netting'
        ? [error, [{ type: PositionType.SELL, volume: 0.1 }]]
        : [{ status: 207, body: { closed: [{ ticket, volume: 0.1 }] } }, []];
    expect([closed, left]).toMatchObject(expected);
  });
});

describe('a gateway that reads the history in parts of which some are not loaded', () => {
  beforeEach(async () => {
    rude = await RudeGateway.start(disk);
  });

  it.each(['half', 'empty'] as const)(
    'puts its reads together while each second read of a list is %s',
    async (shows) => {
      for (let bought = 0; bought < 3; bought++) await rude.buy();
      await rude.post('/order', { ...order, type: 'BUY_LIMIT', price: 1 });
      await rude.clock.sleep(3_000);
      rude.simulator.faults.set({ kind: 'flickering-lists', shows, every: 2 });
      await rude.post('/kill?flatten=true', {});
      await rude.clock.sleep(5_000);
      expect(await evidenceOf()).toMatchObject({ state: 'explained', unexplained: [] });
    },
  );

  it('explains an account that is not known while each read of the history lacks another half', async () => {
    for (const symbol of ['EURUSD', 'GBPUSD']) await rude.buy({ symbol });
    await rude.clock.sleep(3_000);
    rude.disk = disk(rude.clock);
    let reads = 0;
    await rude.restart(async () => {
      rude.habit = (list, rows) => {
        if (list !== 'historyDealsGet') return rows;
        const half = Math.ceil(rows.length / 2);
        return rows.length === 1 ? [] : ++reads % 2 === 0 ? rows.slice(0, half) : rows.slice(half);
      };
      await Promise.resolve();
    });
    await rude.clock.sleep(10_000);
    expect(await evidenceOf()).toMatchObject({ state: 'explained', unexplained: [] });
    rude.habit = null;
    expect((await rude.get('/history_deals_get?from_date=2020-01-01')).body).toMatchObject({ total: 3 });
  });

  it('explains an end by the rows of the whole history while those of one ticket are not loaded', async () => {
    const position = await rude.buy();
    await rude.buy();
    await rude.buy();
    const { body } = await rude.post('/order', { ...order, type: 'BUY_LIMIT', price: 1 });
    const resting = (body['result'] as { order: number }).order;
    await rude.clock.sleep(3_000);
    rude.habit = (list, rows) => (list.startsWith('history') && rows.length <= 2 ? [] : rows);
    await rude.byHand('EURUSD', { action: TradeAction.REMOVE, order: resting });
    await rude.byHand('EURUSD', { position, type: OrderType.SELL });
    await rude.clock.sleep(3_000);
    expect(await evidenceOf()).toMatchObject({ state: 'explained', unexplained: [] });
  });
});

describe('a netting account on which a list still shows what was closed', () => {
  it('sends no second close of it, which would open the opposite position', async () => {
    rude = await RudeGateway.start(disk, {}, { marginMode: 'netting' });
    const ticket = await rude.buy();
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'late-lists', positionsMs: 2_000, sums: true });
    expect(await rude.post('/close_position', { position: ticket }, 'one')).toMatchObject({ status: 200 });
    expect(await rude.post('/close_position', { position: ticket }, 'another')).toMatchObject({
      status: 503,
      body: { error_type: 'account_not_synchronized', details: { tickets: [ticket] } },
    });
    expect(rude.sent).toHaveLength(2);
  });
});
