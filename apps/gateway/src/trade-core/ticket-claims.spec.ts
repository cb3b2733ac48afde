import { Retcode, tradeRequest, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { IntentRecord, SettledOutcome, TradePurpose } from './journal-records';
import { CoreRig } from './testing/core-rig';
import { claimedTicket, lacksTicket, successorOf, ticketsOf } from './ticket-claims';

function done(order: number, retcode: Retcode = Retcode.DONE): SettledOutcome {
  const answer = { deal: 0, volume: 0, price: 0, bid: 0, ask: 0, comment: '', request_id: 1, retcode_external: 0 };
  return { kind: 'done', source: 'answer', result: { ...answer, retcode, order } };
}

function send(
  purpose: TradePurpose,
  outcome: IntentRecord['outcome'],
  fields: Partial<TradeRequest> = {},
): IntentRecord {
  const request = tradeRequest({ action: TradeAction.DEAL, ...fields });
  const facts = { id: 'id/0', key: 'k', serverTimeMsc: 1, positionId: 0, positionVolume: 0, createdAtMs: 1 };
  return { ...facts, purpose, request, outcome };
}

describe('the order of a send', () => {
  it.each(['open', 'place_pending', 'close', 'close_partial'] as const)('is made by %s', (purpose) => {
    expect(claimedTicket(send(purpose, done(3)))).toBe(3);
    expect(lacksTicket(send(purpose, done(0)))).toBe(true);
  });

  it.each(['modify_levels', 'modify_order', 'cancel'] as const)('is not made by %s', (purpose) => {
    expect(claimedTicket(send(purpose, done(3)))).toBeNull();
    expect(lacksTicket(send(purpose, done(0)))).toBe(false);
  });

  it('does not exist without a success, or if the broker names none', () => {
    expect(claimedTicket(send('open', { kind: 'absent' }))).toBeNull();
    expect(claimedTicket(send('open', done(0)))).toBeNull();
  });

  it('is lacking only where the broker acknowledged something and named no order', () => {
    expect(lacksTicket(send('open', done(3)))).toBe(false);
    expect(lacksTicket(send('open', { kind: 'absent' }))).toBe(false);
    expect(lacksTicket(send('close', done(0, Retcode.POSITION_CLOSED)))).toBe(false);
  });

  it('has a successor if the broker answers a change with another order', () => {
    expect(successorOf(send('modify_order', done(4), { order: 3 }))).toBe(4);
    expect(successorOf(send('modify_order', done(3), { order: 3 }))).toBeNull();
    expect(successorOf(send('modify_order', done(0), { order: 3 }))).toBeNull();
    expect(successorOf(send('modify_order', { kind: 'absent' }, { order: 3 }))).toBeNull();
    expect(successorOf(send('cancel', done(4), { order: 3 }))).toBeNull();
  });

  it('is looked up among the claims with the order that the send names', () => {
    expect(ticketsOf(send('open', done(3)))).toEqual([3]);
    expect(ticketsOf(send('modify_order', done(4), { order: 3 }))).toEqual([3, 4]);
    expect(ticketsOf(send('cancel', { kind: 'absent' }, { order: 3 }))).toEqual([3]);
    expect(ticketsOf(send('open', { kind: 'absent' }))).toEqual([]);
  });
});

describe('the claim of an order', () => {
  let rig: CoreRig;
  beforeEach(() => {
    rig = new CoreRig();
  });

  function begin(key: string, purpose: TradePurpose, fields: Partial<TradeRequest> = {}): void {
    rig.request(key, 'f');
    rig.intend(key, purpose, fields);
    rig.endWrite(true);
  }
  function trade(
    key: string,
    purpose: TradePurpose,
    outcome: SettledOutcome,
    fields: Partial<TradeRequest> = {},
  ): void {
    begin(key, purpose, fields);
    rig.settle(key, outcome);
    rig.answer(key, 200);
    rig.calm();
  }
  const shown = (ticket: number): unknown => rig.core.state.claims.get(ticket)?.isShown;

  it('names the send, its key and its magic number', () => {
    trade('a', 'place_pending', done(1), { magic: 5 });
    expect(rig.disk.claims.get(1)).toEqual({ intentId: 'id1/0', clientOrderId: 'a', magic: 5 });
  });

  it('passes the key and the magic number of an order on to the one that replaces it', () => {
    trade('a', 'place_pending', done(1), { magic: 5 });
    trade('b', 'modify_order', done(2), { order: 1 });
    expect(rig.disk.claims.get(2)).toEqual({ intentId: 'id2/0', clientOrderId: 'a', magic: 5 });
    trade('c', 'modify_order', done(3), { order: 2 });
    expect(rig.disk.claims.get(3)).toEqual({ intentId: 'id3/0', clientOrderId: 'a', magic: 5 });
  });

  it('is passed on before it is on disk, and if only the audit log has it', () => {
    rig.deliver({ type: 'claims found', claims: [[8, { intentId: 'old/0', clientOrderId: 'old' }]] });
    begin('a', 'place_pending');
    begin('b', 'modify_order', { order: 1 });
    begin('c', 'modify_order', { order: 8, magic: 6 });
    rig.settle('a', done(1));
    rig.settle('b', done(2));
    rig.settle('c', done(9));
    rig.calm();
    expect(rig.disk.claims.get(2)).toMatchObject({ intentId: 'id2/0', clientOrderId: 'a' });
    expect(rig.disk.claims.get(9)).toEqual({ intentId: 'id3/0', clientOrderId: 'old', magic: 6 });
  });

  it('is not made for the successor of an order that no request is known of', () => {
    trade('b', 'modify_order', done(2), { order: 1 });
    expect(rig.disk.claims.size).toBe(0);
  });

  it('stays with its request if the broker names the order for another one as well', () => {
    trade('a', 'place_pending', done(1));
    trade('b', 'place_pending', done(2));
    trade('c', 'modify_order', done(2), { order: 1 });
    expect(rig.disk.claims.get(2)).toMatchObject({ intentId: 'id2/0', clientOrderId: 'b' });
  });

  it('is not shown before the outcome is, and no longer needed in memory after that', () => {
    begin('a', 'open');
    rig.settle('a', done(1));
    expect(shown(1)).toBe(false);
    rig.endWrite(false);
    expect(shown(1)).toBe(true);
    rig.answer('a', 200);
    expect(rig.core.state.claims.size).toBe(1);
    rig.calm();
    expect(rig.core.state.claims.size).toBe(0);
  });

  it('is shown at once if the order was known before', () => {
    rig.deliver({ type: 'claims found', claims: [[1, { intentId: 'id1/0', clientOrderId: 'a' }]] });
    begin('a', 'open');
    rig.settle('a', done(1));
    expect(shown(1)).toBe(true);
  });

  it('is shown at once for an outcome that an earlier process knew', () => {
    begin('a', 'open');
    const record = rig.disk.requests.get('a');
    const intent = rig.disk.intents.get('id1/0');
    if (!record || !intent) throw new Error('nothing was written');
    const next = new CoreRig();
    const interrupted = { status: 502, body: '{}', reason: 'stopped' };
    const found = { record, intents: [intent], isWritten: true, claims: [], interrupted };
    next.deliver({ type: 'restarted', ...found, outcomes: [['id1/0', done(1)]] });
    expect(next.core.state.claims.get(1)).toMatchObject({ isShown: true, claim: { clientOrderId: 'a' } });
  });

  it('stays in memory while another send has taken it over', () => {
    begin('a', 'open');
    begin('b', 'open');
    rig.settle('a', done(1));
    rig.settle('b', done(1));
    rig.endWrite(true);
    expect(rig.core.state.claims.get(1)).toMatchObject({ claim: { clientOrderId: 'b' } });
    rig.endWrite(true);
    expect(rig.core.state.claims.size).toBe(0);
  });

  it('has a revision that grows with each change of what is shown', () => {
    const seen = [rig.core.state.claimsRevision];
    const grows = (): boolean => {
      const now = rig.core.state.claimsRevision;
      const before = seen.at(-1) ?? 0;
      seen.push(now);
      return now > before;
    };
    rig.deliver({ type: 'claims found', claims: [] });
    expect(grows()).toBe(true);
    begin('a', 'open');
    expect(grows()).toBe(false);
    rig.settle('a', done(1));
    expect(grows()).toBe(true);
    rig.endWrite(false);
    expect(grows()).toBe(true);
    rig.answer('a', 200);
    rig.endWrite(true);
    expect(grows()).toBe(true);
    rig.deliver({ type: 'time passed', ended: [], keys: [] });
    expect(grows()).toBe(true);
  });
});

describe('sends that were acknowledged without a ticket', () => {
  it('are known until one is, and the oldest of more than a thousand is not', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'open');
    rig.endWrite(true);
    rig.settle('a', done(0));
    expect([...rig.core.state.unnamed.keys()]).toEqual(['id1/0']);
    const named = (n: number): IntentRecord => ({ ...send('open', done(0)), id: `old/${n}` });
    rig.deliver({ type: 'recalled', intents: Array.from({ length: 999 }, (_, n) => named(n)) });
    expect([rig.core.state.unnamed.size, rig.core.state.unnamed.has('id1/0')]).toEqual([1_000, true]);
    rig.deliver({ type: 'recalled', intents: [named(999)] });
    expect([rig.core.state.unnamed.size, rig.core.state.unnamed.has('id1/0')]).toEqual([1_000, false]);
    rig.deliver({ type: 'recalled', intents: [{ ...named(5), outcome: done(7) }] });
    expect([rig.core.state.unnamed.size, rig.core.state.unnamed.has('old/5')]).toEqual([999, false]);
  });
});
