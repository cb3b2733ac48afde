import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import {
  OrderState,
  OrderType,
  Retcode,
  TradeAction,
  tradeRequest,
  type TerminalClient,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import { FillConfirmation } from '../orders/fill-confirmation';
import { parseServerZone } from '../server-time/zone-setting';
import { FixedZone } from '../server-time/server-zone';
import { SymbolDigits } from '../terminal/symbol-digits';
import { ServerTime } from '../server-time/server-time';
import { JournalRig } from '../trade-journal/testing/journal-rig';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { LookUps } from './look-ups';
import { OutcomeRecords } from './outcome-records';
import { recoveredAnswer } from './recovered-answer';

const silent = { error: () => undefined, log: () => undefined, warn: () => undefined };
const request = tradeRequest({
  ...{ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 1, type: OrderType.SELL, position: 3 },
});
const close = { purpose: 'close', request, serverTimeMsc: 1, positionId: 3, positionVolume: 1 } as const;
const accepted = {
  ...{ retcode: Retcode.PLACED, deal: 0, order: 5, volume: 0, price: 0, bid: 1, ask: 1.1, comment: '' },
  ...{ request_id: 1, retcode_external: 0 },
};
const working: TradeOrder = {
  ...{ ticket: 5, time_setup: 1, time_setup_msc: 1_500, time_done: 0, time_done_msc: 0, time_expiration: 0 },
  ...{ type: OrderType.SELL, type_time: 0, type_filling: 0, state: OrderState.PARTIAL, magic: 0, position_id: 3 },
  ...{ position_by_id: 0, reason: 3, volume_initial: 1, volume_current: 0.7, price_open: 0, sl: 0, tp: 0 },
  ...{ price_current: 1.1, price_stoplimit: 0, symbol: 'EURUSD', comment: '', external_id: '' },
};
/** What the cancelled order left of the position. */
const left: TradePosition = {
  ...{ ticket: 3, identifier: 3, time: 1, time_msc: 1, time_update: 1, time_update_msc: 1_500, type: 0, magic: 0 },
  ...{ reason: 3, volume: 0.7, price_open: 1.1, sl: 0, tp: 0, price_current: 1.1, swap: 0, profit: 0 },
  ...{ symbol: 'EURUSD', comment: '', external_id: '' },
};
const deal = (ticket: number, volume: number): TradeDeal => ({
  ...{ ticket, order: 5, time: 1, time_msc: 1_500, type: 1, entry: 1, magic: 0, position_id: 3, reason: 3, volume },
  ...{ price: 1.1, commission: 0, swap: 0, profit: 0, fee: 0, symbol: 'EURUSD', comment: '', external_id: '' },
});

describe('an accepted close that the broker fills in parts', () => {
  /** The lists of a terminal; the simulated broker fills every order at once. */
  const lists: { orders: TradeOrder[]; historyOrders: TradeOrder[]; deals: TradeDeal[] } = {
    ...{ orders: [], historyOrders: [], deals: [] },
  };
  let rig: JournalRig;
  let terminal: TerminalClient;
  let confirmation: FillConfirmation;
  let attempt: TradeAttempt;
  let intentId: string;
  beforeEach(async () => {
    rig = new JournalRig();
    terminal = new Simulator(simulatorOptions(readSettings(simulatorSettings, {})), rig.clock).connect();
    terminal.ordersGet = () => Promise.resolve(lists.orders);
    terminal.historyOrdersGet = () => Promise.resolve(lists.historyOrders);
    terminal.historyDealsGet = () => Promise.resolve(lists.deals);
    terminal.positionsGet = () => Promise.resolve([]);
    const settings = { FILL_CONFIRM_TIMEOUT_MS: 3_000, FILL_CONFIRM_POLL_MS: 200 };
    confirmation = new FillConfirmation(rig.journal, rig.clock, settings);
    Object.assign(lists, { orders: [working], historyOrders: [], deals: [deal(8, 0.3)] });
    attempt = rig.begin('k');
    ({ intentId } = await rig.journal.record(attempt, close));
    await rig.journal.settle(attempt, intentId, { kind: 'done', source: 'answer', result: accepted });
  });
  afterEach(async () => {
    await rig.stop();
  });

  const recovering = async (): Promise<OutcomeRecords> => {
    await rig.journal.complete(attempt, { status: 502, body: '{"ok":false}' });
    const zone = { zone: new FixedZone(7_200), fixedOffsetSeconds: null, referenceSymbol: null };
    const derivation = { deriveAttempts: 2, deriveDelayMs: 0, refreshMs: 0, confirmations: 1, maxOffsetAgeMs: 1 };
    const options = { ...zone, ...derivation, orderDeriveAttempts: 1, orderDeriveDelayMs: 0 };
    const time = new ServerTime(options, terminal, rig.clock, silent, null);
    const [lookUps, digits] = [new LookUps(rig.journal), new SymbolDigits(terminal)];
    return new OutcomeRecords(rig.journal, terminal, time, confirmation, lookUps, digits, { isExplained: false });
  };
  const rounds = async (lookUp: () => Promise<void>): Promise<void> => {
    for (let round = 0; round < 4; round++) {
      await lookUp();
      await rig.clock.advance(30_000);
    }
  };
  const answer = (): unknown => JSON.parse(attempt.record.response ?? '');

  it.each<[string, (records: OutcomeRecords) => Promise<void>]>([
    ['its own reads', (records) => records.complete(attempt)],
    ['a shared read', (records) => records.completeFrom({ ...lists, positions: [] }, attempt)],
  ])('is recovered from %s once the broker has finished it', async (_reads, complete) => {
    const records = await recovering();
    await rounds(() => complete(records));
    expect(attempt.record.status).toBe('unknown');
    Object.assign(lists, { orders: [], deals: [deal(8, 0.3), deal(9, 0.7)] });
    await complete(records);
    expect(attempt.record.status).toBe('recovered');
    expect(answer()).toMatchObject({ state: 'closed', closed_volume: 1, remaining_volume: 0 });
  });

  it('waits for all deals of an order that was filled', async () => {
    const records = await recovering();
    Object.assign(lists, { orders: [], historyOrders: [{ ...working, state: OrderState.FILLED, volume_current: 0 }] });
    await records.complete(attempt);
    await records.completeFrom({ ...lists, positions: [] }, attempt);
    expect(attempt.record.status).toBe('unknown');
    lists.deals = [deal(8, 0.3), deal(9, 0.7)];
    await records.complete(attempt);
    expect(answer()).toMatchObject({ state: 'closed', closed_volume: 1, remaining_volume: 0 });
  });

  it('keeps its part if the broker cancels the rest', async () => {
    const records = await recovering();
    lists.orders = [];
    terminal.positionsGet = () => Promise.resolve([left]);
    await records.complete(attempt);
    expect(answer()).toMatchObject({ state: 'partially_closed', closed_volume: 0.3, remaining_volume: 0.7 });
  });

  it('has its order from the moment that its outcome is being written', async () => {
    const records = await recovering();
    const other = rig.begin('other');
    const sent = await rig.journal.record(other, close);
    await rig.journal.settle(other, sent.intentId, { kind: 'unknown', reason: 'lost', result: null, lastError: null });
    await rig.journal.complete(other, { status: 502, body: '{"ok":false}' });
    const [open] = other.openIntents;
    if (!open) throw new Error('no open intent');
    const outcome = { kind: 'done', source: 'late_answer', result: { ...accepted, order: 6 } } as const;
    const written = records.settle(other, open, outcome);
    expect(rig.journal.claim(6)).toMatchObject({ intentId: sent.intentId });
    await written;
    expect(rig.journal.claim(6)).toMatchObject({ intentId: sent.intentId });
  });

  it.each([
    [1, { source: 'position', price: 1.1, volume: 1 }],
    // Its price is a mean of several orders, or a part was closed: what this one filled is not known.
    [0.5, { source: 'unresolved', price: null }],
    [1.5, { source: 'unresolved', price: null }],
  ])(
    'is no fill of an order if its position has %d lots, unless the order opened all of them',
    async (volume, fill) => {
      const entry = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 1, type: OrderType.BUY });
      const opening = rig.begin('opening');
      const { intentId: id } = await rig.journal.record(opening, { ...close, purpose: 'open', request: entry });
      Object.assign(lists, { orders: [], deals: [] });
      terminal.positionsGet = () => Promise.resolve([{ ...left, ticket: 5, identifier: 5, volume }]);
      const found = confirmation.fill(terminal, opening, id, accepted);
      await rig.clock.advance(4_000);
      expect(await found).toMatchObject({ ...fill, order: 5 });
    },
  );

  it('is answered with all of it if the rest is filled in time, else with its part', async () => {
    const answered = confirmation.closingFill(terminal, attempt, intentId, accepted);
    await rig.clock.advance(1_000);
    Object.assign(lists, { orders: [], deals: [deal(8, 0.3), deal(9, 0.7)] });
    await rig.clock.advance(1_000);
    expect(await answered).toMatchObject({ volume: 1, deal: 9 });
    Object.assign(lists, { orders: [working], historyOrders: [], deals: [deal(8, 0.3)] });
    const late = confirmation.closingFill(terminal, attempt, intentId, accepted);
    await rig.clock.advance(4_000);
    expect(await late).toMatchObject({ source: 'deal', volume: 0.3 });
  });
});

describe('a close of all positions whose lists are lost', () => {
  const zone = parseServerZone('Europe/Athens');
  const times = { utcIso: () => null, latestBefore: (serverMsc: number) => zone.latestBefore(serverMsc) };
  const other = { ...left, ticket: 4, identifier: 4, time_msc: 9_000_000 };

  /** The tickets that its answer names as open, if the broker shows these deals of its close of position 3. */
  async function namedWith(
    deals: readonly TradeDeal[],
    positions: readonly TradePosition[] = [other],
  ): Promise<unknown> {
    const rig = new JournalRig();
    const begun = rig.begin('k');
    const { intentId } = await rig.journal.record(begun, close);
    const result = { ...accepted, retcode: Retcode.POSITION_CLOSED, volume: 1, price: 1.1 };
    await rig.journal.settle(begun, intentId, { kind: 'done', source: 'answer', result });
    const record = { ...begun.record, route: 'POST /close_all_positions', response: null };
    const attempt = new TradeAttempt({ ...begun.request, record }, true);
    const effects = { positions, orders: [], deals };
    const { response } = recoveredAnswer(attempt, { effects, times, digitsOf: () => 5 });
    await rig.journal.close();
    const { failed } = JSON.parse(response.body) as { readonly failed: readonly { readonly ticket: number }[] };
    return { status: response.status, failed: failed.map(({ ticket }) => ticket) };
  }

  it('names no position that was opened after its deal', async () => {
    expect(await namedWith([deal(8, 1)])).toEqual({ status: 200, failed: [] });
  });

  it.each([
    ['that no deal was booked for, such as one that was closed already', []],
    ['whose deal has no time', [{ ...deal(8, 1), time_msc: 0 }]],
  ])('names whatever is open beside a close %s', async (_, deals) => {
    expect(await namedWith(deals)).toEqual({ status: 207, failed: [4] });
  });

  it('names the position that was closed already while the list shows it', async () => {
    expect(await namedWith([], [left])).toEqual({ status: 207, failed: [left.ticket] });
    expect(await namedWith([], [])).toEqual({ status: 200, failed: [] });
  });
});
