import {
  LastErrorCode,
  OrderFilling,
  OrderType,
  PositionType,
  Retcode,
  type SendOutcome,
  type TerminalClient,
  TerminalUnavailableError,
  Timeframe,
  TradeAction,
  type TradeRequest,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { CleanUp } from './clean-up';
import * as fields from './record-fields';
import { account, type Subject, tradeTimeoutMs } from './subjects';

const eurusd = { symbol: 'EURUSD', volume: 0.1, type_filling: OrderFilling.FOK, deviation: 100 };
const forever = { from: 0, to: 4_000_000_000 };

/** What every driver of the port has to do, case by case. `open` gives a terminal without a login. */
// eslint-disable-next-line jest/no-export -- the cases are run once for each driver, by terminal.e2e-spec.ts
export function terminalContract(open: () => Promise<Subject>): void {
  let subject: Subject;
  let terminal: TerminalClient;
  let sent = 0;
  const cleanUp = new CleanUp();

  beforeAll(async () => {
    subject = cleanUp.after(await open(), (opened) => opened.stop());
    terminal = subject.terminal;
    await terminal.connect();
  }, 60_000);
  afterAll(() => cleanUp.run());

  const send = (request: Partial<TradeRequest> & Pick<TradeRequest, 'action'>): Promise<SendOutcome> =>
    terminal.orderSend(sealRequest(`intent-${++sent}`, tradeRequest(request)));

  /** Sends what has to succeed and gives the terminal's answer. */
  async function done(request: Parameters<typeof send>[0]) {
    const outcome = await send(request);
    if (outcome.kind !== 'answered') throw new Error(`the send was ${outcome.kind}: ${outcome.lastError.message}`);
    expect([Retcode.DONE, Retcode.PLACED]).toContain(outcome.result.retcode);
    return outcome.result;
  }

  async function buy(request: Partial<TradeRequest> = {}) {
    const quote = await terminal.symbolInfoTick('EURUSD');
    return done({ action: TradeAction.DEAL, ...eurusd, type: OrderType.BUY, price: quote?.ask ?? 0, ...request });
  }

  async function failureOf(call: Promise<unknown>): Promise<TerminalUnavailableError> {
    const failure = await call.then(
      () => null,
      (error: unknown) => error,
    );
    if (!(failure instanceof TerminalUnavailableError))
      throw new Error(`no failure of the terminal but ${String(failure)}`);
    return failure;
  }

  describe('the login', () => {
    it('finds no account logged in at first', async () => {
      expect(await terminal.accountInfo()).toBeNull();
      expect((await terminal.terminalInfo()).connected).toBe(false);
    });

    it('is refused with a wrong password, as an outcome and not as an exception', async () => {
      expect(await terminal.login({ ...account, password: 'wrong' })).toMatchObject({
        ok: false,
        lastError: { code: LastErrorCode.AUTH_FAILED },
      });
      expect(await terminal.accountInfo()).toBeNull();
    });

    it('gives the account, with all fields of the terminal', async () => {
      expect(await terminal.login(account)).toEqual({ ok: true });
      const info = await terminal.accountInfo();
      expect(info).toMatchObject({ login: account.login, server: account.server, currency: 'USD', balance: 10_000 });
      expect(fieldsOf(info)).toEqual(fields.accountFields);
      const terminalInfo = await terminal.terminalInfo();
      expect(terminalInfo.connected).toBe(true);
      expect(fieldsOf(terminalInfo)).toEqual(fields.terminalFields);
    });
  });

  describe('symbols and quotes', () => {
    it('come as whole records, all of them or by a mask', async () => {
      const all = await terminal.symbolsGet();
      const names = all.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['EURUSD', 'USDJPY', 'XAUUSD']));
      expect(fieldsOf(all[0])).toEqual(fields.symbolFields);
      const masked = await terminal.symbolsGet('*USD*,!EURUSD');
      expect(masked.map(({ name }) => name)).toEqual(names.filter((name) => name.includes('USD') && name !== 'EURUSD'));
      expect(await terminal.symbolsGet('NOTHING*')).toEqual([]);
    });

    it('are null, with last_error -4, where the terminal knows none', async () => {
      expect(await terminal.symbolInfo('NOSUCH')).toBeNull();
      expect((await terminal.lastError()).code).toBe(LastErrorCode.NOT_FOUND);
      expect(await terminal.symbolInfoTick('NOSUCH')).toBeNull();
      expect(await terminal.symbolSelect('NOSUCH', true)).toBe(false);
    });

    it('can be added to Market Watch and taken off it', async () => {
      expect(await terminal.symbolSelect('EURCHF', true)).toBe(true);
      expect((await terminal.symbolInfo('EURCHF'))?.visible).toBe(true);
      expect(await terminal.symbolSelect('EURCHF', false)).toBe(true);
      expect((await terminal.symbolInfo('EURCHF'))?.visible).toBe(false);
    });

    it('quote one symbol or several in one call, in the order asked', async () => {
      const quote = await terminal.symbolInfoTick('EURUSD');
      expect(fieldsOf(quote)).toEqual(fields.tickFields);
      expect(quote?.ask).toBeGreaterThan(quote?.bid ?? Infinity);
      expect(Math.floor((quote?.time_msc ?? 0) / 1_000)).toBe(quote?.time);
      const [gold, none, euro] = await terminal.ticks(['XAUUSD', 'NOSUCH', 'EURUSD']);
      expect(gold?.bid).toBeGreaterThan(100);
      expect(none).toBeNull();
      expect(euro?.bid).toBeLessThan(3);
    });
  });

  describe('bars and ticks', () => {
    it('come as columns of one length, the forming bar last', async () => {
      const bars = await terminal.copyRatesFromPos('EURUSD', Timeframe.M5, 0, 20);
      if (!bars) throw new Error('no bars');
      expect(Object.values(bars).map((column: ArrayLike<number>) => column.length)).toEqual(Array(8).fill(20));
      const times = Array.from(bars.time);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.every((time) => time % 300 === 0)).toBe(true);
      for (let row = 0; row < 20; row++) {
        expect(bars.high[row]).toBeGreaterThanOrEqual(bars.low[row] ?? Infinity);
      }
    });

    it('of a range include both of its ends', async () => {
      const bars = await terminal.copyRatesFromPos('EURUSD', Timeframe.M1, 5, 10);
      const from = bars?.time[2] ?? 0;
      const to = bars?.time[6] ?? 0;
      const range = await terminal.copyRatesRange('EURUSD', Timeframe.M1, from, to);
      expect(Array.from(range?.time ?? [])).toEqual(Array.from(bars?.time ?? []).slice(2, 7));
      expect(Array.from(range?.close ?? [])).toEqual(Array.from(bars?.close ?? []).slice(2, 7));
    });

    it('of a range of ticks are exact to the millisecond', async () => {
      const quote = await terminal.symbolInfoTick('EURUSD');
      const to = (quote?.time_msc ?? 0) - 60_000;
      const all = await terminal.copyTicksRange('EURUSD', to - 600_000, to, -1);
      const stamps = Array.from(all?.time_msc ?? []);
      expect(stamps.length).toBeGreaterThan(5);
      const inner = await terminal.copyTicksRange('EURUSD', stamps[1] ?? 0, stamps[3] ?? 0, -1);
      expect(Array.from(inner?.time_msc ?? [])).toEqual(stamps.slice(1, 4));
      const none = await terminal.copyTicksRange('EURUSD', to + 1e10, to + 1e10 + 1, -1);
      expect(Array.from(none?.bid ?? [1])).toEqual([]);
    });

    it('are null for an unknown symbol, and empty where there were none', async () => {
      expect(await terminal.copyRatesFromPos('NOSUCH', Timeframe.M1, 0, 10)).toBeNull();
      expect(await terminal.copyTicksRange('NOSUCH', 0, 1_000, -1)).toBeNull();
      const early = await terminal.copyRatesRange('EURUSD', Timeframe.M1, 0, 1_000);
      expect(Array.from(early?.time ?? [1])).toEqual([]);
    });
  });

  describe('trading', () => {
    it('opens a position, and tells of it in order, deal and position', async () => {
      const result = await buy({ magic: 77, comment: 'contract' });
      expect(fieldsOf(result)).toEqual(fields.sendFields);
      expect(result).toMatchObject({ volume: 0.1, price: expect.any(Number) });
      const [position, ...others] = await terminal.positionsGet({ ticket: result.order });
      expect(others).toEqual([]);
      expect(position).toMatchObject({
        symbol: 'EURUSD',
        type: PositionType.BUY,
        volume: 0.1,
        magic: 77,
        comment: 'contract',
      });
      expect(fieldsOf(position)).toEqual(fields.positionFields);
      const [deal] = await terminal.historyDealsGet({ position: result.order });
      expect(deal).toMatchObject({ ticket: result.deal, order: result.order, entry: 0, price: result.price });
      expect(fieldsOf(deal)).toEqual(fields.dealFields);
      const [order] = await terminal.historyOrdersGet({ ticket: result.order });
      expect(order).toMatchObject({ ticket: result.order, volume_initial: 0.1, magic: 77 });
      expect(fieldsOf(order)).toEqual(fields.orderFields);
      const inWindow = await terminal.historyDealsGet(forever);
      expect(inWindow.map(({ ticket }) => ticket)).toContain(result.deal);
      expect(await terminal.historyDealsGet({ from: 0, to: 1_000 })).toEqual([]);
    });

    it('filters positions, and an unknown one is an empty list, not a failure', async () => {
      expect(await terminal.positionsGet({ symbol: 'USDJPY' })).toEqual([]);
      expect(await terminal.positionsGet({ ticket: 1 })).toEqual([]);
      expect((await terminal.positionsGet({ group: 'EUR*' })).length).toBeGreaterThan(0);
      expect(await terminal.ordersGet()).toEqual([]);
    });

    it('takes whole lots and whole prices as well as broken ones', async () => {
      const result = await buy({ volume: 1, sl: 0, tp: 2 });
      expect(await terminal.positionsGet({ ticket: result.order })).toMatchObject([{ volume: 1, sl: 0, tp: 2 }]);
    });

    it('sets levels, closes a part and closes the rest', async () => {
      const { order, price } = await buy();
      await done({
        action: TradeAction.SLTP,
        symbol: 'EURUSD',
        position: order,
        sl: round(price - 0.02),
        tp: round(price + 0.02),
      });
      expect(await terminal.positionsGet({ ticket: order })).toMatchObject([
        { sl: round(price - 0.02), tp: round(price + 0.02) },
      ]);
      const close = { action: TradeAction.DEAL, ...eurusd, type: OrderType.SELL, position: order };
      await done({ ...close, volume: 0.04, price: (await terminal.symbolInfoTick('EURUSD'))?.bid ?? 0 });
      expect(await terminal.positionsGet({ ticket: order })).toMatchObject([{ volume: 0.06 }]);
      await done({ ...close, volume: 0.06, price: (await terminal.symbolInfoTick('EURUSD'))?.bid ?? 0 });
      expect(await terminal.positionsGet({ ticket: order })).toEqual([]);
      const deals = await terminal.historyDealsGet({ position: order });
      expect(deals.map(({ entry }) => entry)).toEqual([0, 1, 1]);
    });

    it('places, changes and removes a pending order', async () => {
      const price = round((await terminal.symbolInfoTick('EURUSD'))?.bid ?? 0);
      const { order } = await done({
        ...{ action: TradeAction.PENDING, ...eurusd, type: OrderType.BUY_LIMIT, type_filling: OrderFilling.RETURN },
        price: round(price - 0.03),
      });
      const [pending] = await terminal.ordersGet({ ticket: order });
      expect(pending).toMatchObject({
        type: OrderType.BUY_LIMIT,
        price_open: round(price - 0.03),
        volume_current: 0.1,
      });
      expect(fieldsOf(pending)).toEqual(fields.orderFields);
      await done({ action: TradeAction.MODIFY, symbol: 'EURUSD', order, price: round(price - 0.04) });
      expect(await terminal.ordersGet({ symbol: 'EURUSD' })).toMatchObject([{ price_open: round(price - 0.04) }]);
      await done({ action: TradeAction.REMOVE, symbol: 'EURUSD', order });
      expect(await terminal.ordersGet()).toEqual([]);
      expect(await terminal.historyOrdersGet({ ticket: order })).toMatchObject([{ ticket: order, state: 2 }]);
    });

    it('checks an order without sending it', async () => {
      const price = (await terminal.symbolInfoTick('EURUSD'))?.ask ?? 0;
      const before = await terminal.positionsGet();
      const check = await terminal.orderCheck(tradeRequest({ action: TradeAction.DEAL, ...eurusd, price }));
      expect(fieldsOf(check)).toEqual(fields.checkFields);
      expect(check).toMatchObject({ retcode: 0, comment: 'Done' });
      const far = await terminal.orderCheck(tradeRequest({ action: TradeAction.DEAL, ...eurusd, price, volume: 400 }));
      expect(far.retcode).toBe(Retcode.NO_MONEY);
      expect((await terminal.positionsGet()).length).toBe(before.length);
    });

    it('computes margin and profit, and null where it can not', async () => {
      expect(await terminal.orderCalcMargin(OrderType.BUY, 'USDJPY', 1, 150)).toBe(1_000);
      expect(await terminal.orderCalcProfit(OrderType.BUY, 'EURUSD', 1, 1.1, 1.11)).toBe(1_000);
      expect(await terminal.orderCalcMargin(OrderType.BUY, 'NOSUCH', 1, 1)).toBeNull();
      expect(await terminal.orderCalcProfit(OrderType.BUY, 'NOSUCH', 1, 1, 2)).toBeNull();
    });

    it('is answered with the retcode of a server that says no', async () => {
      await subject.setFault({ kind: 'retcode', retcode: Retcode.MARKET_CLOSED, times: 1 });
      const outcome = await send({ action: TradeAction.DEAL, ...eurusd });
      expect(outcome).toMatchObject({ kind: 'answered', result: { retcode: Retcode.MARKET_CLOSED, deal: 0 } });
    });

    it('is refused with -8, and nothing is done, while the terminal takes no orders of programs', async () => {
      const before = await terminal.historyDealsGet(forever);
      await subject.setFault({ kind: 'trading-off', by: 'api' });
      const outcome = await send({ action: TradeAction.DEAL, ...eurusd });
      const { tradeapi_disabled } = await terminal.terminalInfo();
      await subject.clearFaults();
      expect(outcome).toMatchObject({ kind: 'refused', lastError: { code: LastErrorCode.AUTO_TRADING_DISABLED } });
      expect(tradeapi_disabled).toBe(true);
      expect(await terminal.historyDealsGet(forever)).toEqual(before);
    });

    it('is refused by the package before anything is sent when the comment is too long', async () => {
      const before = await terminal.historyDealsGet(forever);
      const outcome = await send({ action: TradeAction.DEAL, ...eurusd, comment: 'x'.repeat(40) });
      expect(outcome).toMatchObject({
        kind: 'refused',
        lastError: { code: LastErrorCode.INVALID_PARAMS, message: 'Invalid "comment" argument' },
      });
      expect(await terminal.historyDealsGet(forever)).toEqual(before);
    });
  });

  describe('failures', () => {
    afterEach(async () => {
      await subject.clearFaults();
      await terminal.connect();
      await terminal.login(account);
    });

    it.each([-10_001, -10_002, -10_003, -10_004, -10_005])(
      'of IPC, code %d, fail a read and are never empty',
      async (code) => {
        await subject.setFault({ kind: 'failed-reads', code, methods: ['positionsGet'], times: 1 });
        const { failure, lastError } = await failureOf(terminal.positionsGet());
        expect(lastError.code).toBe(code);
        expect(['disconnected', 'failed']).toContain(failure);
      },
    );

    it.each(['positionsGet', 'ordersGet', 'historyDealsGet', 'historyOrdersGet'] as const)(
      'of %s are failures, not empty lists',
      async (method) => {
        await subject.setFault({ kind: 'failed-reads', methods: [method], times: 1 });
        expect((await failureOf(terminal[method](forever))).failure).toBe('failed');
      },
    );

    it('are a logout: the account is null, and reads fail', async () => {
      await subject.setFault({ kind: 'logged-out' });
      expect(await terminal.accountInfo()).toBeNull();
      await failureOf(terminal.positionsGet());
      expect((await terminal.terminalInfo()).connected).toBe(false);
    });

    it('are another account: it shows in the account record', async () => {
      await subject.setFault({ kind: 'other-account', login: 777 });
      expect((await terminal.accountInfo())?.login).toBe(777);
    });

    it('are a terminal out of reach: reads fail, a send is never done, connecting fails until it is back', async () => {
      const before = await terminal.historyDealsGet(forever);
      await subject.setFault({ kind: 'disconnected' });
      expect((await failureOf(terminal.positionsGet())).failure).toBe('disconnected');
      expect((await send({ action: TradeAction.DEAL, ...eurusd })).kind).toBe('refused');
      expect((await failureOf(terminal.connect())).lastError.code).toBeLessThanOrEqual(LastErrorCode.INTERNAL_FAIL);
      await subject.clearFaults();
      await terminal.connect();
      await terminal.login(account);
      expect(await terminal.historyDealsGet(forever)).toEqual(before);
    });

    it.each([
      ['before the server acts', 'drop-before-send', 0],
      ['after the server acted', 'drop-after-send', 1],
    ] as const)('are a connection that drops %s: the outcome is unknown', async (_when, kind, deals) => {
      const before = await terminal.historyDealsGet(forever);
      await subject.setFault({ kind, times: 1 });
      expect((await send({ action: TradeAction.DEAL, ...eurusd })).kind).toBe('unknown');
      await terminal.connect();
      expect((await terminal.historyDealsGet(forever)).length).toBe(before.length + deals);
    });

    it('are an answer that comes late: unknown at first, then reported once', async () => {
      const late: [string, number][] = [];
      const unsubscribe = terminal.onLateAnswer((intentId, outcome) => {
        if (outcome.kind === 'answered') late.push([intentId, outcome.result.retcode]);
      });
      await subject.answerLate();
      expect(await send({ action: TradeAction.DEAL, ...eurusd })).toMatchObject({
        kind: 'unknown',
        lastError: { code: LastErrorCode.INTERNAL_FAIL_TIMEOUT },
      });
      await new Promise((resolve) => setTimeout(resolve, tradeTimeoutMs));
      unsubscribe();
      expect(late).toEqual([[`intent-${sent}`, Retcode.DONE]]);
    });
  });

  describe('leaving', () => {
    it('ends the session and not the broker: who comes back finds everything as it was', async () => {
      const before = await terminal.positionsGet();
      await terminal.shutdown();
      expect((await failureOf(terminal.positionsGet())).failure).toBe('disconnected');
      expect((await send({ action: TradeAction.DEAL, ...eurusd })).kind).toBe('refused');
      await terminal.connect();
      const after = await terminal.positionsGet();
      expect(after.map(({ ticket }) => ticket)).toEqual(before.map(({ ticket }) => ticket));
      expect(after.length).toBeGreaterThan(0);
    });
  });
}

/** The names of a record's fields; their order is the package's matter, not the wire's. */
function fieldsOf(record: object | null | undefined): string[] {
  return Object.keys(record ?? {}).sort();
}

function round(price: number): number {
  return Math.round(price * 100_000) / 100_000;
}
