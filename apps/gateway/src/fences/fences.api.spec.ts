import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditedSends } from '../trade-journal/audited-sends';
import { eurusd, TradingGateway, type Answer } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };
const fencedOut = { status: 412, body: { error_type: 'fenced_out' } };
const required = { status: 412, body: { error_type: 'fence_required' } };

describe('the fence of a strategy', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
  });
  // A read may still wait for virtual time.
  afterEach(() => gateway.waitFor(gateway.stop()));

  const raise = (token: unknown, name = 'trend', magics?: unknown): Promise<Answer> =>
    gateway.send('PUT', `/fences/${name}`, { token, ...(magics === undefined ? {} : { magics }) });
  const buy = (fence: string | null, key?: string, fields: object = {}): Promise<Answer> =>
    gateway.send('POST', '/order', { ...order, ...fields }, headersOf(fence, key));
  const close = (ticket: number, fence: string | null): Promise<Answer> =>
    gateway.send('POST', '/close_position', { position: { ticket } }, headersOf(fence));
  const positions = async (): Promise<number> => (await gateway.rows('/get_positions')).length;

  it('lets the holder of the raised token trade, and no lower one', async () => {
    const raised = await raise(7, 'trend', [7001]);
    expect(raised).toMatchObject({
      status: 200,
      body: { strategy: 'trend', token: 7, state: 'raised', magics: [7001] },
    });
    expect(await buy('trend;7')).toMatchObject({ status: 200 });
    expect(await buy('trend;6')).toMatchObject({
      status: 412,
      body: { error_type: 'fenced_out', details: { fence: 'trend', token: 6, stored: 7 } },
    });
    expect(await positions()).toBe(1);
    expect(await gateway.get('/fences')).toMatchObject({ status: 200, body: { total: 1, data: [{ token: 7 }] } });
    expect(await gateway.get('/fences/trend')).toMatchObject({ status: 200, body: { token: 7, magics: [7001] } });
    expect(await gateway.get('/fences/other')).toMatchObject({ status: 404 });
    expect(await gateway.metric('fence_token{strategy="trend"}')).toBe(7);
    expect(await gateway.metric('trade_refusals_total{error_type="fenced_out"}')).toBe(1);
  });

  it('is raised by a higher token only: an equal one changes nothing, a lower one gets the stored one', async () => {
    await raise(7);
    expect(await raise(7)).toMatchObject({ status: 200, body: { token: 7 } });
    expect(await raise(6)).toMatchObject({
      status: 409,
      body: { error_type: 'fence_conflict', details: { fence: 'trend', token: 6, stored: 7 } },
    });
    expect(await raise(7, 'trend', [1])).toMatchObject({ status: 409, body: { error_type: 'fence_conflict' } });
    expect(await raise(8)).toMatchObject({ status: 200, body: { token: 8 } });
    expect(await gateway.get('/fences/trend')).toMatchObject({ body: { token: 8, magics: [] } });
    expect(gateway.audit().filter(({ event }) => event === 'fence_raised')).toMatchObject([
      { fence: 'trend', fence_token: 7, route: 'PUT /fences/:strategy' },
      { fence: 'trend', fence_token: 8 },
    ]);
  });

  it('refuses a token that was not raised, and a name that never had a fence', async () => {
    expect(await buy('trend;7')).toMatchObject({ status: 412, body: { details: { stored: null } } });
    await raise(7);
    expect(await buy('trend;8')).toMatchObject(required);
    expect(await buy('Trend;7')).toMatchObject(required);
    expect(await positions()).toBe(0);
  });

  it('survives a restart', async () => {
    await raise(7, 'trend', [7001]);
    await gateway.restart();
    expect(await buy('trend;6')).toMatchObject(fencedOut);
    expect(await buy('trend;7')).toMatchObject({ status: 200 });
    expect(await buy(null, undefined, { magic: 7001 })).toMatchObject(required);
  });

  it('states the fence of each request on the audit log', async () => {
    await raise(7);
    await buy('trend;7', 'holder');
    await buy('trend;6', 'late');
    const lines = gateway.audit().filter(({ client_order_id: key }) => key === 'holder' || key === 'late');
    expect(lines.filter(({ event }) => event !== 'broker_response')).toMatchObject([
      { event: 'intent', fence: 'trend', fence_token: 7 },
      { event: 'refused', error_type: 'fenced_out', fence: 'trend', fence_token: 6, symbol: 'EURUSD' },
    ]);
  });

  it('leaves the key of a fenced-out request as it is: the holder may use it for another request', async () => {
    await raise(7);
    expect(await buy('trend;6', 'k', { volume: 0.3 })).toMatchObject(fencedOut);
    expect(await gateway.get('/trade_requests/k')).toMatchObject({ status: 404 });
    expect(await buy('trend;7', 'k')).toMatchObject({ status: 200 });
    expect(await positions()).toBe(1);
  });

  it('answers a used key from the journal, also to a holder that is fenced out', async () => {
    await raise(7);
    const first = await buy('trend;7', 'k');
    await raise(8);
    for (const fence of ['trend;7', 'trend;8', 'trend;9', null]) {
      expect(await buy(fence, 'k')).toMatchObject({ status: 200, text: first.text });
    }
    expect(await buy('trend;7', 'k', { volume: 0.3 })).toMatchObject({
      status: 409,
      body: { error_type: 'idempotency_conflict' },
    });
    expect(await positions()).toBe(1);
  });

  it('leaves an unknown outcome open: the newer token gets the same answer, and nothing is sent', async () => {
    await raise(7);
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, times: 1 });
    const first = await buy('trend;7', 'k');
    expect(first).toMatchObject({ status: 502 });
    expect(await raise(8)).toMatchObject({ status: 200 });
    expect(await buy('trend;8', 'k')).toMatchObject({ status: 502, text: first.text });
    expect(await gateway.metric('orders_submitted_total')).toBe(1);
    expect(await gateway.statusOf('k')).toBe('unknown');
  });

  it('waits for a send under a lower token, and refuses one that is about to be sent', async () => {
    await raise(7);
    gateway.simulator.faults.set({ kind: 'latency', ms: 3_000, calls: 'sends' });
    const sent = buy('trend;7', 'sent');
    await gateway.until(async () => (await gateway.metric('orders_submitted_total')) === 1, 10);
    gateway.simulator.faults.set({ kind: 'latency', ms: 2_000, calls: 'reads' });
    const later = buy('trend;7', 'later');
    let isRaised = false;
    const raising = raise(8).finally(() => (isRaised = true));
    await gateway.until(async () => (await gateway.metric('fence_token')) === 8, 10);
    expect([isRaised, await gateway.statusOf('sent')]).toEqual([false, 'in_progress']);
    expect(await gateway.waitFor(raising)).toMatchObject({ status: 200, body: { token: 8 } });
    expect((await gateway.waitFor(sent)).status).toBe(200);
    expect(await gateway.waitFor(later)).toMatchObject(fencedOut);
    gateway.simulator.faults.clear();
    expect(await gateway.metric('orders_submitted_total')).toBe(1);
    // Reserved under a token that was right, so its key is bound: the same request passes under the newer token.
    expect(await buy('trend;8', 'later', { volume: 0.3 })).toMatchObject({ status: 409 });
    expect(await buy('trend;8', 'later')).toMatchObject({ status: 200 });
    expect(await positions()).toBe(2);
  });

  it('does not wait longer than a send may take: the raise holds, and a repetition waits again', async () => {
    await gateway.stop();
    gateway = await TradingGateway.start({ TERMINAL_TRADE_TIMEOUT_MS: '600000' });
    await raise(7);
    gateway.simulator.faults.set({ kind: 'latency', ms: 606_000, calls: 'sends' });
    const sent = buy('trend;7', 'sent').catch(() => undefined);
    await gateway.until(async () => (await gateway.metric('orders_submitted_total')) === 1, 10);
    const first = await gateway.waitFor(raise(8), 5_000);
    expect([200, 503]).toContain(first.status);
    expect(await buy('trend;7')).toMatchObject(fencedOut);
    await gateway.waitFor(sent, 5_000);
    expect(await gateway.waitFor(raise(8))).toMatchObject({ status: 200 });
  });

  it('binds magic numbers: entries, changes, closes and cancels of one need its fence', async () => {
    const ticket = await gateway.buy({ magic: 7001 });
    const { bid } = await gateway.quote();
    const price = Number((bid - 0.01).toFixed(5));
    const pending = await buy(null, undefined, { type: 'BUY_LIMIT', price, magic: 7001 });
    const { order: limit } = pending.body['result'] as { order: number };
    await raise(7, 'trend', [7001]);
    await raise(3, 'other', [7002]);
    for (const fence of [null, 'other;3']) {
      expect(await buy(fence, undefined, { magic: 7001 })).toMatchObject(required);
      expect(await close(ticket, fence)).toMatchObject(required);
      expect(await gateway.send('DELETE', `/orders/${limit}`, undefined, headersOf(fence))).toMatchObject(required);
      expect(
        await gateway.send('POST', '/modify_sl_tp', { position: ticket, sl: 0.5 }, headersOf(fence)),
      ).toMatchObject(required);
      expect(await gateway.send('POST', '/close_all_positions', {}, headersOf(fence))).toMatchObject({
        status: 207,
        body: { closed: [], failed: [{ ticket, error_type: 'fence_required' }] },
      });
    }
    expect(await buy(null, undefined, { magic: 7003 })).toMatchObject({ status: 200 });
    expect(await close(ticket, 'trend;7')).toMatchObject({ status: 200 });
    expect(await gateway.send('DELETE', `/orders/${limit}`, undefined, headersOf('trend;7'))).toMatchObject({
      status: 200,
    });
  });

  it('binds what a magic number has opened also where the broker shows magic 0', async () => {
    await raise(7, 'trend', [7001]);
    const { body } = await buy('trend;7', undefined, { magic: 7001 });
    const ticket = (body.result as { order: number }).order;
    gateway.simulator.faults.set({ kind: 'magic-zero' });
    expect(await close(ticket, null)).toMatchObject(required);
    expect(await close(ticket, 'trend;7')).toMatchObject({ status: 200 });
  });

  describe('where the broker shows magic 0 and replaces a pending order that is changed', () => {
    const place = async (fence: string | null, magic: number): Promise<number> => {
      const price = Number(((await gateway.quote()).bid - 0.01).toFixed(5));
      const { body } = await buy(fence, 'placed', { type: 'BUY_LIMIT', price, magic });
      return (body['result'] as { order: number }).order;
    };
    const change = (ticket: number, fence: string | null, price: number): Promise<Answer> =>
      gateway.send('PUT', `/orders/${ticket}`, { price }, headersOf(fence));
    const cancel = (ticket: number, fence: string | null): Promise<Answer> =>
      gateway.send('DELETE', `/orders/${ticket}`, undefined, headersOf(fence));
    const pendingTicket = async (): Promise<number> => Number((await gateway.rows('/orders'))[0]?.ticket);

    beforeEach(async () => {
      await raise(7, 'trend', [7001]);
      gateway.simulator.faults.set({ kind: 'magic-zero' });
      gateway.simulator.faults.set({ kind: 'comments', to: 'empty' });
      gateway.simulator.faults.set({ kind: 'replaced-orders' });
    });

    it('binds the new order, and that of the next change', async () => {
      const first = await place('trend;7', 7001);
      expect(await change(first, 'trend;7', 0.9)).toMatchObject({ status: 200 });
      const second = await pendingTicket();
      expect(second).not.toBe(first);
      expect(await change(second, null, 0.88)).toMatchObject(required);
      expect(await change(second, 'trend;7', 0.88)).toMatchObject({ status: 200 });
      const third = await pendingTicket();
      expect(await cancel(third, null)).toMatchObject(required);
      expect(await gateway.rows('/orders')).toMatchObject([{ ticket: third, client_order_id: 'placed' }]);
      expect((await gateway.get<{ differences: unknown[] }>('/reconcile')).body.differences).toEqual([]);
      // So does the audit log, for a journal that is lost.
      const lost = { id: 'another', hasRecord: () => false, intent: () => undefined };
      const { claims } = auditedSends(gateway.audit().toReversed(), lost, gateway.clock.nowMs());
      expect(claims.get(third)).toMatchObject({ clientOrderId: 'placed', magic: 7001 });
      expect(await cancel(third, 'trend;7')).toMatchObject({ status: 200 });
    });

    it('binds the new order while the answer to the change is lost', async () => {
      const first = await place('trend;7', 7001);
      gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
      expect(await change(first, 'trend;7', 0.9)).toMatchObject({ status: 502 });
      const second = await pendingTicket();
      expect(second).not.toBe(first);
      expect(await cancel(second, null)).toMatchObject(required);
      expect(await cancel(second, 'trend;7')).toMatchObject({ status: 200 });
    });

    it('binds nothing that a change of an order of no fence has made', async () => {
      const first = await place(null, 5);
      expect(await change(first, null, 0.9)).toMatchObject({ status: 200 });
      expect(await cancel(await pendingTicket(), null)).toMatchObject({ status: 200 });
    });
  });

  describe('where the broker shows magic 0, while the answer to an entry is lost', () => {
    /** Buys, without an answer; returns the ticket of what was opened. */
    const loseBuy = async (fence: string | null, magic: number, symbol = 'EURUSD'): Promise<number> => {
      gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
      expect(await buy(fence, undefined, { magic, symbol })).toMatchObject({ status: 502 });
      const rows = await gateway.rows('/get_positions');
      return Math.max(...rows.map(({ ticket }) => Number(ticket)));
    };

    beforeEach(async () => {
      await raise(7, 'trend', [7001]);
      gateway.simulator.faults.set({ kind: 'magic-zero' });
      // No look-up finds the order meanwhile.
      gateway.simulator.faults.set({ kind: 'reasons', reason: 0 });
      gateway.simulator.faults.set({ kind: 'comments', to: 'empty' });
    });

    it('binds what that entry may have opened', async () => {
      const ticket = await loseBuy('trend;7', 7001);
      expect(await close(ticket, null)).toMatchObject({
        status: 412,
        body: { error_type: 'fence_required', details: { magic: 7001, owner: 'trend' } },
      });
      const levels = { position: ticket, sl: 0.5 };
      expect(await gateway.post('/modify_sl_tp', levels)).toMatchObject(required);
      expect(await close(ticket, 'trend;7')).toMatchObject({ status: 200 });
    });

    it('binds it also if the last quote before the send was hours old', async () => {
      await gateway.quote();
      gateway.simulator.faults.set({ kind: 'frozen-quotes' });
      await gateway.agedBy(2 * 3_600_000);
      expect(await close(await loseBuy('trend;7', 7001), null)).toMatchObject(required);
    });

    it('binds it to each fence that it may belong to', async () => {
      await raise(3, 'range', [7002]);
      await loseBuy('trend;7', 7001);
      const ticket = await loseBuy('range;3', 7002);
      expect(await close(ticket, 'trend;7')).toMatchObject(required);
    });

    it('binds nothing of another symbol, of before, or that another request has opened', async () => {
      const before = await gateway.byHand({ action: 1, symbol: 'EURUSD', volume: 0.1, type: 0 });
      await gateway.agedBy(20_000);
      await loseBuy('trend;7', 7001);
      const other = await gateway.byHand({ action: 1, symbol: 'GBPUSD', volume: 0.1, type: 0 });
      const { body } = await buy(null);
      const answered = (body.result as { order: number }).order;
      for (const ticket of [before.order, other.order, answered]) {
        expect([ticket, await close(ticket, null)]).toMatchObject([ticket, { status: 200 }]);
      }
    });
  });

  describe('on a netting account where the broker shows magic 0', () => {
    beforeEach(async () => {
      await gateway.waitFor(gateway.stop());
      gateway = await TradingGateway.start({ SIM_MARGIN_MODE: 'netting' });
      await raise(7, 'trend', [7001]);
      await raise(3, 'range', [7002]);
      gateway.simulator.faults.set({ kind: 'magic-zero' });
      gateway.simulator.faults.set({ kind: 'comments', to: 'empty' });
    });

    const ticketNow = async (): Promise<number> => Number((await gateway.rows('/get_positions'))[0]?.['ticket']);
    /** What closes, changes levels and closes all are refused with, and then that the owner may close. */
    const expectBoundTo = async (owner: string, others: readonly (string | null)[], isShort = false): Promise<void> => {
      const ticket = await ticketNow();
      for (const fence of others) {
        expect([fence, await close(ticket, fence)]).toMatchObject([fence, required]);
        const part = { position: ticket, volume: 0.01 };
        const levels = { position: ticket, [isShort ? 'tp' : 'sl']: 0.5 };
        expect(await gateway.send('POST', '/position_close_partial', part, headersOf(fence))).toMatchObject(required);
        expect(await gateway.send('POST', '/modify_sl_tp', levels, headersOf(fence))).toMatchObject(required);
        expect(await gateway.send('POST', '/close_all_positions', {}, headersOf(fence))).toMatchObject({ status: 207 });
      }
      expect(await close(ticket, owner)).toMatchObject({ status: 200 });
    };

    it('binds a position to the fence of the order that increased it last', async () => {
      await buy(null, undefined, { magic: 5 });
      await gateway.agedBy(20_000);
      await buy('trend;7', undefined, { magic: 7001 });
      await expectBoundTo('trend;7', [null, 'range;3']);
    });

    it('binds it to the fence of the order that reversed it', async () => {
      await buy('range;3', undefined, { magic: 7002 });
      await buy('trend;7', undefined, { magic: 7001, type: 'SELL', volume: 0.3 });
      await expectBoundTo('trend;7', [null, 'range;3'], true);
    });

    it('keeps it bound after an order of no fence has reduced it', async () => {
      await buy('trend;7', undefined, { magic: 7001, volume: 0.3 });
      await buy(null, undefined, { magic: 5, type: 'SELL' });
      await expectBoundTo('trend;7', [null]);
    });

    it('binds it to the fence of an entry whose answer was lost', async () => {
      gateway.simulator.faults.set({ kind: 'reasons', reason: 0 });
      await buy(null, undefined, { magic: 5 });
      await gateway.agedBy(20_000);
      gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012, acts: true, times: 1 });
      expect(await buy('trend;7', undefined, { magic: 7001 })).toMatchObject({ status: 502 });
      await expectBoundTo('trend;7', [null]);
    });

    it('binds no position that an order of no fence has increased or opened', async () => {
      await buy('trend;7', undefined, { magic: 7001 });
      await buy(null, undefined, { magic: 5 });
      expect(await close(await ticketNow(), null)).toMatchObject({ status: 200 });
    });

    it('binds it to the fence of an entry whose deal is not shown yet', async () => {
      await buy(null, undefined, { magic: 5 });
      gateway.simulator.faults.set({ kind: 'late-lists', dealsMs: 20_000 });
      await buy('trend;7', undefined, { magic: 7001 });
      await expectBoundTo('trend;7', [null]);
    });

    it('keeps it bound after an order by hand has increased it', async () => {
      await buy('trend;7', undefined, { magic: 7001 });
      await gateway.byHand({ action: 1, symbol: 'EURUSD', volume: 0.1, type: 0 });
      await expectBoundTo('trend;7', [null]);
    });

    it('keeps it bound while the terminal has no deals', async () => {
      await buy('trend;7', undefined, { magic: 7001 });
      await gateway.agedBy(120_000);
      gateway.simulator.faults.set({ kind: 'history-lacks', what: 'deals' });
      await expectBoundTo('trend;7', [null]);
    });
  });

  it('moves a magic number with the raise of another fence', async () => {
    await raise(7, 'trend', [7001, 7002]);
    await raise(1, 'portfolio', [7001]);
    await gateway.restart();
    expect(await gateway.get('/fences')).toMatchObject({
      body: {
        data: [
          { strategy: 'portfolio', magics: [7001] },
          { strategy: 'trend', token: 7, magics: [7002] },
        ],
      },
    });
    expect(await buy('trend;7', undefined, { magic: 7001 })).toMatchObject(required);
    expect(await buy('portfolio;1', undefined, { magic: 7001 })).toMatchObject({ status: 200 });
  });

  it('does not keep an operator from flattening', async () => {
    await gateway.buy({ magic: 7001 });
    await raise(7, 'trend', [7001]);
    expect(await gateway.post('/kill?flatten=true')).toMatchObject({
      status: 200,
      body: { flatten: { complete: true, closed: [{}] } },
    });
  });

  it('is checked before the kill switch, and does not pass it', async () => {
    await raise(7);
    await gateway.post('/kill');
    expect(await buy('trend;6', 'k', { volume: 0.3 })).toMatchObject(fencedOut);
    expect(await buy('trend;7', 'k')).toMatchObject({ status: 423 });
    expect(await raise(8)).toMatchObject({ status: 200 });
    await gateway.post('/kill/release');
    expect(await buy('trend;7', 'k')).toMatchObject(fencedOut);
    expect(await buy('trend;8', 'k')).toMatchObject({ status: 200 });
  });

  it('rejects a header in another form, and leaves the key as it is', async () => {
    await raise(7);
    const headers = ['trend', 'trend;', ';7', 'trend;0', 'trend;07', 'trend;-1', 'trend;7;8', 'trend; 7'];
    for (const header of [...headers, 'trend;9100000000000000']) {
      const [key, answer] = [`key of ${header}`, await buy(header, `key of ${header}`, { volume: 0.3 })];
      expect([header, answer]).toMatchObject([
        header,
        { status: 400, body: { error_type: 'validation_error', details: [{ field: 'X-Fence' }] } },
      ]);
      expect(await buy('trend;7', key)).toMatchObject({ status: 200 });
      expect(await buy(header, key)).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } });
    }
  });

  it('rejects a raise with an invalid name, token or magic number, and raises nothing', async () => {
    const raises: readonly (readonly [name: string, token: unknown, magics: unknown, field: string])[] = [
      ...(['0', '1.5', '"7"', '9000000000000001'] as const).map(
        (token) => ['trend', JSON.parse(token) as unknown, undefined, 'token'] as const,
      ),
      ...[[-1], [1, 1], 7001].map((magics) => ['trend', 7, magics, 'magics'] as const),
      ...['%20', 'a;b'].map((name) => [name, 7, undefined, 'strategy'] as const),
    ];
    for (const [name, token, magics, field] of raises) {
      const answer = await raise(token, name, magics);
      expect(answer).toMatchObject({ status: 400, body: { error_type: 'validation_error', details: [{ field }] } });
    }
    expect(await gateway.get('/fences')).toMatchObject({ body: { total: 0 } });
  });

  describe('in a journal that was lost', () => {
    const journalFile = (): string => join(gateway.folder, 'state', 'trade-journal', 'data.mdb');
    const accept = async (): Promise<Answer> => {
      const { body } = await gateway.get<{ journal: { id: string } }>('/health');
      return gateway.post('/journal/accept', { journal_id: body.journal.id });
    };

    it('is held, with what the audit log has of it, until it is raised by a token that was issued since', async () => {
      await gateway.buy({ magic: 7001 });
      await raise(7, 'trend', [7001]);
      await gateway.restart(() => truncateSync(journalFile(), 0));
      expect(await gateway.metric('fences_held')).toBe(1);
      const lost = { status: 503, body: { error_type: 'journal_lost' } };
      expect(await buy('trend;6', 'new')).toMatchObject(lost);
      await accept();
      await gateway.restart();
      expect(await buy('trend;6')).toMatchObject(fencedOut);
      expect(await buy('trend;7')).toMatchObject(required);
      expect(await buy(null, undefined, { magic: 7001 })).toMatchObject(required);
      const repeated = await raise(7);
      expect(repeated).toMatchObject({ status: 409, body: { error_type: 'fence_conflict' } });
      const { stored } = repeated.body['details'] as { stored: number };
      expect(stored).toBeGreaterThan(1_000_000);
      expect(await gateway.get('/fences/trend')).toMatchObject({ body: { token: stored, state: 'held' } });
      expect(await raise(stored)).toMatchObject({ status: 409 });
      expect(await raise(stored + 1)).toMatchObject({ status: 200, body: { state: 'raised', magics: [7001] } });
      expect(await buy(`trend;${stored}`)).toMatchObject(fencedOut);
      expect(await buy(`trend;${stored + 1}`)).toMatchObject({ status: 200 });
      await gateway.restart();
      expect(await buy(`trend;${stored + 1}`)).toMatchObject({ status: 200 });
    });

    it('is held as well if its name is no longer known', async () => {
      await gateway.stop();
      const broker = mkdtempSync(join(tmpdir(), 'broker-'));
      gateway = await TradingGateway.start({ SIM_STATE_FILE: join(broker, 'account') });
      expect(await buy(null, 'kept')).toMatchObject({ status: 200 });
      await raise(7);
      await gateway.restart(() => {
        truncateSync(journalFile(), 0);
        rmSync(join(gateway.folder, 'order-audit.jsonl'));
      });
      expect(await gateway.get('/health')).toMatchObject({ body: { journal: { state: 'lost' } } });
      await accept();
      expect(await buy('trend;7')).toMatchObject(required);
      // The first raise shows which tokens were issued before the loss; that of a stale holder is one of them.
      const first = await raise(6);
      expect(first).toMatchObject({ status: 409 });
      const { stored } = first.body['details'] as { stored: number };
      expect(await raise(7)).toMatchObject({ status: 409, body: { details: { stored } } });
      expect(await raise(stored + 1)).toMatchObject({ status: 200 });
      expect(await buy(`trend;${stored + 1}`)).toMatchObject({ status: 200 });
      rmSync(broker, { recursive: true });
    });
  });
});

function headersOf(fence: string | null, key?: string): Record<string, string> {
  return { ...(fence === null ? {} : { 'x-fence': fence }), ...(key === undefined ? {} : { 'idempotency-key': key }) };
}
