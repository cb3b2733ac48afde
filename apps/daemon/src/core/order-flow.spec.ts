import type { IntentRecord, OwnedTicket } from './records';
import type { OrderIntent } from './plan';
import { undisturbed } from './risk';
import { CoreRig, deal, kinds, orderRow, pending, position, row } from './testing/core-rig';
import {
  buy,
  close,
  half,
  limit,
  wants,
  written,
  asked,
  executed,
  refused,
  found,
  requote,
  invalidStops,
  awaitedOf,
  sent,
  doneWith,
} from './testing/order-events';
import { answered, reported, unknown, voided, report } from './testing/request-events';

describe('an entry', () => {
  const record: IntentRecord = {
    ...{ broker: 'demo', stream: 'eur', symbol: 'EURUSD', ticket: null, isEntry: true, strategy: 'ema' },
    ...{ intentId: 'i1', key: 'k1', createdAtMs: 5, state: 'open', outcome: null, journalId: 'A' },
    call: { method: 'POST', path: '/order', body: { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 } },
  };
  const claim: OwnedTicket = {
    ...{ strategy: 'ema', broker: 'demo', ticket: 9, stream: 'eur', symbol: 'EURUSD', intentId: 'i1', deals: [] },
    ...{ volumeIn: '0', volumeOut: '0', working: false, closed: false },
  };
  const done = { ...record, state: 'done', outcome: 'executed' };

  it('is sent once it is on disk, and over once its order is on disk and was looked for in the account', () => {
    const rig = new CoreRig([]);
    expect(rig.does(wants(buy))).toEqual([
      { type: 'persist', n: 1, atMs: 5, change: { intents: [record] }, key: 'k1' },
    ]);
    expect(rig.does(written(1))).toEqual([{ type: 'submit', n: 2, atMs: 5, persist: 1, key: 'k1', record }]);
    expect(rig.does(executed())).toEqual([{ type: 'find order', key: 'k1', record, order: 9 }]);
    expect(rig.does(found(9))).toEqual([
      { type: 'persist', n: 3, atMs: 5, change: { tickets: [claim], intents: [done] }, key: 'k1' },
    ]);
    expect(rig.does(written(3))).toMatchObject([
      { type: 'notice', record: { key: 'k1' }, notice: { type: 'done', order: 9 } },
      { type: 'ask', key: 'k1', effect: { type: 'show', order: 9 }, life: { stage: { at: 'showing' } } },
    ]);
    expect(rig.does(asked({ type: 'seen' }))).toEqual([]);
    expect(rig.core.state.requests.requests).toEqual([]);
    expect(rig.core.state.book.openTickets).toEqual([claim]);
  });

  it('is sent by no second end of its write, nor by the end of another one', () => {
    const rig = new CoreRig([]);
    rig.does(wants(buy));
    expect(rig.does(written(7))).toEqual([]);
    expect(kinds(rig.does(written(1)))).toEqual(['submit']);
    expect(rig.does(written(1))).toEqual([]);
  });

  it('is denied and undone if it cannot be written', () => {
    const day = { date: '1970-01-01', equity: '10000' };
    const rig = new CoreRig([], { day, peakEquity: '10000' });
    rig.does(wants(buy));
    const reason = 'the state cannot be written';
    expect(rig.does(written(1, false))).toEqual([
      { type: 'denied', reject: { intentId: 'i1', kind: 'denied', reason, retcode: null }, staleBarMs: null },
    ]);
    expect(rig.core.state.requests.requests).toEqual([]);
    const seen = { type: 'account seen', marketMs: 0, quotes: {} } as const;
    // The state is written again until the disk accepts it.
    const [retried] = rig.does(seen);
    expect(retried).toMatchObject({ type: 'persist', change: { strategy: { name: 'ema' } } });
    expect(kinds(rig.does(seen))).toEqual(['persist']);
    rig.does(written(2));
    expect(rig.does(seen)).toEqual([]);
  });

  it('has the group and the tag of its order in its record and in its ticket', () => {
    const rig = new CoreRig([]);
    const grouped = { ...buy, options: { ...limit, tag: 'a' }, oco: 'g' } as const;
    expect(rig.stores(wants(grouped))).toMatchObject([{ intents: [{ oco: 'g', tag: 'a' }] }]);
    rig.does(written(1));
    const { change } = doneWith(rig, executed({ result: { order: 9 }, state: 'placed' }), found(9));
    expect(change.tickets).toEqual([{ ...claim, working: true, oco: 'g', tag: 'a' }]);
    expect(change.intents).toMatchObject([{ state: 'done', outcome: 'placed' }]);
  });

  it('keeps the stop-loss that it set, where its loss matters', () => {
    const rig = new CoreRig([], {}, { onLostStop: 'close' });
    sent(rig, { ...buy, options: { volume: 0.1, sl: 1.09 } });
    expect(doneWith(rig, executed(), found(9)).change.tickets).toEqual([
      { ...claim, stop: { sl: 1.09, isSeen: false } },
    ]);
  });

  it.each([
    ['its answer lacks it', {}, null],
    ['it is none', { result: { order: 0 } as never }, null],
  ] as const)('claims no order if %s', (_, body, order) => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    expect(rig.does(executed(body))).toEqual([{ type: 'find order', key: 'k1', record, order }]);
    expect(awaitedOf(rig.does(found(order))).change).toEqual({ intents: [{ ...done, outcome: 'done' }] });
    expect(rig.core.state.book.openTickets).toEqual([]);
  });

  it('does not claim again what the state has as its own, and claims a number of another account', () => {
    const again = new CoreRig([]);
    sent(again, buy);
    expect(doneWith(again, executed(), found(9, { ...claim, closed: true })).change).toEqual({ intents: [done] });
    const other = new CoreRig([]);
    sent(other, buy);
    expect(doneWith(other, executed(), found(9, { ...claim, intentId: 'i0' })).change.tickets).toEqual([claim]);
  });

  it('is asked for after a lost answer, and a resend under its key is not its first send', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    expect(rig.does(asked(answered(unknown)))).toMatchObject([
      { type: 'notice', notice: { type: 'unknown', reason: 'no answer' } },
      { type: 'ask', key: 'k1', effect: { type: 'check journal' } },
    ]);
    const journal = { type: 'journal', journal: { id: 'A', state: 'ok' } } as const;
    expect(rig.does(asked(journal))).toMatchObject([{ type: 'ask', effect: { type: 'read key' } }]);
    expect(rig.does(asked(reported(null)))).toMatchObject([{ type: 'ask', key: 'k1', effect: { type: 'send' } }]);
    expect(kinds(rig.does(executed()))).toEqual(['find order']);
  });

  it.each([
    ['too old', { nowMs: 10_006, monotonicMs: 10_006 }],
    ['from before the shutdown', { isStopping: true }],
  ] as const)('is made void, not sent again, when it is %s', (_, changes) => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    rig.does(asked(answered(unknown)));
    rig.at = { ...rig.at, ...changes };
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    expect(rig.does(asked(reported(null)))).toMatchObject([{ type: 'ask', effect: { type: 'void key' } }]);
  });

  it('is sent again only by the journal that it was sent to', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    rig.does(asked(answered(unknown)));
    const reason = expect.stringMatching(/^the gateway has another trade journal \(B\) than .* \(A\)/) as string;
    expect(rig.does(asked({ type: 'journal', journal: { id: 'B', state: 'ok' } }))).toMatchObject([
      { type: 'notice', notice: { type: 'held', reason } },
      { type: 'ask', effect: { type: 'hold', reason } },
    ]);
  });

  it('is not sent again after a halt', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    rig.does(asked(answered(unknown)));
    rig.does({ type: 'halt', kind: 'daily', reason: 'enough' });
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    expect(rig.does(asked(reported(null)))).toMatchObject([{ effect: { type: 'void key' } }]);
  });

  it('is reported as not sent once its key is void, and recorded so', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    rig.does(asked(answered(unknown)));
    rig.does({ type: 'halt', kind: 'daily', reason: 'enough' });
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    rig.does(asked(reported(null)));
    rig.does(asked(voided(report('void'))));
    const reason = 'the request was not sent: the gateway made its key void';
    const effects = rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    const ended = awaitedOf(effects);
    expect(ended.change).toEqual({ intents: [{ ...record, state: 'absent', outcome: reason }] });
    rig.does(written(ended.n));
    expect(rig.does(asked({ type: 'seen' }))).toMatchObject([
      { type: 'notice', notice: { type: 'rejected', refusal: { kind: 'absent', reason }, failedExit: null } },
    ]);
  });

  it('is reported as refused once the refusal is on disk and the account was read', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    const { n, change } = awaitedOf(rig.does(refused(invalidStops)));
    expect(change).toEqual({ intents: [{ ...record, state: 'rejected', outcome: 'broker_rejected: no' }] });
    expect(rig.does(written(n))).toMatchObject([
      { type: 'notice', record: { key: 'k1' }, notice: { type: 'refused', key: 'k1' } },
      { type: 'ask', effect: { type: 'read account' } },
    ]);
    expect(kinds(rig.does(asked({ type: 'seen' })))).toEqual(['notice']);
    expect(rig.core.state.requests.requests).toEqual([]);
  });

  it('says how late its bar was when it is denied', () => {
    const late = { ...undisturbed, staleBarMs: 300 };
    const denied = { type: 'denied', reject: { intentId: 'i1', reason: 'stale_bar' }, staleBarMs: 300 };
    const event = { type: 'intent', intent: buy, key: 'k1' } as const;
    expect(new CoreRig([]).does({ ...event, circumstances: late })).toMatchObject([denied]);
    const elsewhere = new CoreRig([]);
    elsewhere.at = { ...elsewhere.at, journals: {} };
    expect(elsewhere.does(wants(buy))).toMatchObject([
      { type: 'denied', reject: { reason: 'gateway demo is not configured' }, staleBarMs: null },
    ]);
  });

  it('is kept without a journal that is not known', () => {
    const rig = new CoreRig([]);
    rig.at = { ...rig.at, journals: { demo: null } };
    expect(rig.stores(wants(buy))).toEqual([{ intents: [{ ...record, journalId: null }] }]);
  });
});

describe('what is found out about an order', () => {
  it('is for a request that was executed and is not over', () => {
    const rig = new CoreRig([]);
    expect(rig.does(found(9))).toEqual([]);
    sent(rig, buy);
    expect(rig.does(found(9))).toEqual([]);
    rig.does(refused(invalidStops));
    expect(rig.does(found(9))).toEqual([]);
  });
});

describe('an order of a request', () => {
  const closing = deal({ ticket: 200, order: 20, entry: 1, type: 1, position_id: 1 });
  const fillsOf = (rig: CoreRig) =>
    rig
      .does({ type: 'deals', broker: 'demo', ticket: 1, deals: [closing], follows: null })
      .flatMap((effect) => (effect.type === 'filled' ? effect.fills : []));
  const answer = { result: { order: 20 } as never };

  it('gives its fills the intent of a close, also one that was only accepted', () => {
    const rig = new CoreRig([position(1)]);
    sent(rig, close);
    doneWith(rig, executed(answer), found(20));
    expect(fillsOf(rig)).toMatchObject([{ intentId: 'c1' }]);
    const accepted = new CoreRig([position(1)]);
    sent(accepted, close);
    expect(accepted.does(executed({ ...answer, state: 'placed' }))).toMatchObject([
      { type: 'ask', key: 'k1', effect: { type: 'show', order: 20 } },
    ]);
    accepted.does({ type: 'forgo', broker: 'demo' });
    expect(accepted.core.state.intents.all).toEqual([['demo:20', 'c1']]);
  });

  it('is not taken from the answer to a change, which names the order that was changed', () => {
    const rig = new CoreRig([pending(8)]);
    sent(rig, { id: 'm1', action: 'modify', order: 8, broker: null, change: { price: 1.04 } });
    doneWith(rig, executed({ result: { order: 8 } }), found(8));
    expect(rig.core.state.intents.all).toEqual([]);
  });

  it('is not remembered if it is unknown', () => {
    const rig = new CoreRig([position(1)]);
    sent(rig, close);
    doneWith(rig, executed({}), found(null));
    expect(rig.core.state.intents.all).toEqual([]);
  });
});

describe('a change of an order', () => {
  const later = Date.UTC(2024, 0, 3);
  const modify = (expirationMs: number | null, id = 'm1') =>
    ({ id, action: 'modify', order: 8, broker: null, change: { price: 1.04, expirationMs } }) as const;

  it('changes when it lapses', () => {
    const rig = new CoreRig([pending(8)]);
    sent(rig, modify(later));
    expect(doneWith(rig, executed({}), found(null)).change.tickets).toEqual([pending(8, { expiresMs: later })]);
    const cleared = new CoreRig([pending(8, { expiresMs: later })]);
    sent(cleared, modify(null));
    expect(doneWith(cleared, executed({}), found(null)).change.tickets).toEqual([pending(8)]);
  });

  it('changes nothing in the books after a newer one', () => {
    const rig = new CoreRig([pending(8)]);
    sent(rig, modify(later));
    sent(rig, modify(later + 1, 'm2'), 'k2');
    expect(doneWith(rig, executed({}), found(null)).change).toMatchObject({ intents: [{ key: 'k1' }] });
    expect(rig.core.state.book.openTickets).toEqual([pending(8)]);
  });

  it('moves its ticket to the order that the broker put in its place', () => {
    const rig = new CoreRig([pending(8, { expiresMs: later })]);
    rig.sees([], [orderRow(8)]);
    sent(rig, { id: 'm1', action: 'modify', order: 8, broker: null, change: { price: 1.04 } });
    const { change } = doneWith(rig, executed({ result: { order: 12 } }), found(12));
    expect(change.tickets).toEqual([
      pending(8, { expiresMs: later, working: false, closed: true }),
      { ...pending(8, { expiresMs: later }), ticket: 12 },
    ]);
    expect(change.intents).toMatchObject([{ key: 'k1', state: 'done' }]);
    expect(rig.core.state.intents.all).toEqual([['demo:12', 'i8']]);
  });

  it('moves a ticket without an intent as well', () => {
    const rig = new CoreRig([pending(8, { intentId: null })]);
    sent(rig, { id: 'm1', action: 'modify', order: 8, broker: null, change: { price: 1.04 } });
    const { change } = doneWith(rig, executed({ result: { order: 12 } }), found(12));
    expect(change.tickets).toHaveLength(2);
    expect(rig.core.state.intents.all).toEqual([]);
  });
});

describe('a stop-loss that was set', () => {
  const protect = { id: 'p1', action: 'protect', position: 1, broker: null, sl: 1.09 } as const;

  it('is kept in the ticket, where its loss matters', () => {
    const rig = new CoreRig([position(1)], {}, { onLostStop: 'close' });
    sent(rig, protect);
    expect(doneWith(rig, executed({}), found(null)).change.tickets).toEqual([
      position(1, { stop: { sl: 1.09, isSeen: false } }),
    ]);
    const careless = new CoreRig([position(1)]);
    sent(careless, protect);
    expect(doneWith(careless, executed({}), found(null)).change).not.toHaveProperty('tickets');
  });

  it('and an expiration of one change are kept together', () => {
    const expirationMs = Date.UTC(2024, 0, 3);
    const rig = new CoreRig([pending(8)], {}, { onLostStop: 'close' });
    sent(rig, { id: 'm1', action: 'modify', order: 8, broker: null, change: { sl: 1.03, expirationMs } });
    expect(doneWith(rig, executed({}), found(null)).change.tickets).toEqual([
      pending(8, { expiresMs: expirationMs, stop: { sl: 1.03, isSeen: false } }),
    ]);
  });
});

describe('a close', () => {
  it('is on record as unread while the account was not read after it', () => {
    const rig = new CoreRig([position(1)]);
    sent(rig, close);
    const { change, n } = doneWith(rig, executed(), found(9, null, false));
    expect(change.tickets).toEqual([position(1, { closeUnread: true })]);
    rig.does(written(n));
    rig.does(asked({ type: 'seen', isRead: false }));
    expect(rig.core.state.requests.unreadCloses).toEqual([{ broker: 'demo', ticket: 1 }]);
    const read = new CoreRig([position(1)]);
    sent(read, close);
    expect(doneWith(read, executed(), found(9)).change).not.toHaveProperty('tickets');
  });

  it('is sent again under a key of its own, which is on disk together with the end of the first try', () => {
    const rig = new CoreRig([position(1)]);
    sent(rig, close);
    const first = awaitedOf(rig.does(refused(requote)));
    expect(first.change.intents).toMatchObject([
      { key: 'k1', state: 'rejected', outcome: 'broker_rejected: no' },
      { key: 'k1~1', state: 'open', outcome: null, intentId: 'c1' },
    ]);
    rig.does(written(first.n));
    expect(rig.does(asked({ type: 'seen' }, 'k1~1'))).toMatchObject([
      { type: 'notice', notice: { type: 'retrying', waitMs: 500 } },
      { type: 'ask', key: 'k1~1', effect: { type: 'wait to retry', ms: 500 } },
    ]);
    rig.at = { ...rig.at, nowMs: 505, monotonicMs: 505 };
    const retry = rig.does(asked({ type: 'timer' }, 'k1~1'));
    expect(retry).toMatchObject([{ notice: { type: 'retried' } }, { type: 'persist', key: 'k1~1' }]);
    expect(rig.does(written(awaitedOf(retry).n))).toMatchObject([
      { type: 'submit', key: 'k1~1', atMs: 505, record: { key: 'k1~1', createdAtMs: 505 } },
    ]);
  });

  it('that failed is on record until one is done', () => {
    const rig = new CoreRig([position(1), position(2)]);
    sent(rig, close);
    rig.does(written(awaitedOf(rig.does(refused(invalidStops))).n));
    const failedCloses = [{ purpose: 'demo:1 POST /close_position', reason: 'broker_rejected: no', atMs: 5 }];
    const effects = rig.does(asked({ type: 'seen' }));
    expect(effects).toMatchObject([
      { type: 'notice', notice: { type: 'rejected', failedExit: 1 } },
      { type: 'persist', key: null },
    ]);
    expect(effects[1]).toHaveProperty('change', { tickets: [position(1, { failedCloses })] });
    sent(rig, { ...close, id: 'c2' }, 'k2');
    rig.does(executed({}, 'k2'));
    const done = awaitedOf(rig.does({ type: 'order found', key: 'k2', order: null, remembered: null }));
    rig.does(written(done.n));
    expect(rig.stores(asked({ type: 'seen' }, 'k2'))).toEqual([{ tickets: [position(1)] }]);
  });

  it('of a part waits for what is done about it, and is done when its part is closed', () => {
    const rig = new CoreRig([position(1)]);
    rig.sees([row(1)]);
    sent(rig, half);
    expect(rig.does(wants({ ...half, id: 'c2' }, 'k2'))).toMatchObject([
      { type: 'denied', reject: { reason: 'an earlier close of position 1 is still in flight' } },
    ]);
    rig.does(executed({ state: 'placed' }));
    const part = deal({ ticket: 200, order: 20, entry: 1, type: 1, position_id: 1, volume: 0.05 });
    rig.does({ type: 'deals', broker: 'demo', ticket: 1, deals: [part], follows: null });
    rig.sees([row(1, { volume: 0.05 })]);
    expect(kinds(rig.does(asked({ type: 'seen' })))).toEqual(['find order']);
  });
});

describe('a close that was only accepted', () => {
  const accepted = (intent: OrderIntent = close) => {
    const rig = new CoreRig([position(1)]);
    rig.sees([row(1)]);
    sent(rig, intent);
    expect(rig.does(executed({ result: { order: 20 }, state: 'placed' }))).toMatchObject([
      { effect: { type: 'show' } },
    ]);
    return rig;
  };
  const seen = (changes: { isHedging?: boolean; isRead?: boolean } = {}, key = 'k1') =>
    asked({ type: 'seen', isHedging: true, isRead: true, ...changes }, key);
  const closed = (rig: CoreRig) => {
    rig.sees([]);
    const deals = [deal({ ticket: 200, order: 20, entry: 1, type: 1, position_id: 1 })];
    rig.does({ type: 'deals', broker: 'demo', ticket: 1, deals, follows: null });
  };
  const ended = { key: 'k1', state: 'done', outcome: 'placed' };

  it('is looked for until the account was read and agrees with the books', () => {
    const rig = accepted();
    const again = [{ type: 'ask', key: 'k1', effect: { type: 'show', order: 20 } }];
    expect(rig.does(asked({ type: 'timer' }))).toEqual([]);
    expect(rig.does(seen({ isRead: false }))).toMatchObject(again);
    rig.sees([]);
    expect(rig.does(seen())).toMatchObject(again);
    closed(rig);
    expect(kinds(rig.does(seen()))).toEqual(['find order']);
  });

  it('of a whole position is sent again on a hedging account only: it cannot close too much there', () => {
    expect(awaitedOf(accepted().does(seen())).change).toMatchObject({
      intents: [ended, { key: 'k1~1', state: 'open', outcome: null }],
    });
    expect(awaitedOf(accepted().does(seen({ isHedging: false }))).change.intents).toMatchObject([ended]);
  });

  it('of a part is not sent again, because both could fill', () => {
    const rig = accepted(half);
    const { n, change } = awaitedOf(rig.does(seen()));
    expect(change.intents).toMatchObject([ended]);
    rig.does(written(n));
    const refusal = { kind: 'unfilled', reason: 'the broker accepted the close, and no fill was seen' };
    expect(rig.does(seen())).toMatchObject([
      { notice: { type: 'rejected', refusal, failedExit: 1 } },
      { type: 'persist', change: { tickets: [{ ticket: 1, failedCloses: [{ atMs: 5 }] }] } },
    ]);
  });

  it('stays open on disk while the daemon shuts down, and is over without its gateway', () => {
    const stopping = accepted();
    stopping.at = { ...stopping.at, isStopping: true };
    expect(stopping.does(seen())).toEqual([]);
    expect(stopping.core.state.requests.requests).toHaveLength(1);
    const without = accepted();
    without.at = { ...without.at, journals: {} };
    expect(awaitedOf(without.does(seen({ isRead: false }))).change.intents).toMatchObject([ended]);
  });

  it('is done, not sent again, when it fills before its retry', () => {
    const rig = accepted();
    rig.does(written(awaitedOf(rig.does(seen())).n));
    rig.does(seen({}, 'k1~1'));
    closed(rig);
    const { n, change } = awaitedOf(rig.does(asked({ type: 'timer' }, 'k1~1')));
    const outcome = 'superseded or no longer needed';
    expect(change.intents).toMatchObject([{ key: 'k1~1', state: 'absent', outcome }]);
    expect(rig.does(asked({ type: 'timer' }, 'k1~1'))).toEqual([]);
    expect(rig.does(written(n))).toMatchObject([{ type: 'notice', notice: { type: 'done', order: null } }]);
    expect(rig.core.state.requests.requests).toEqual([]);
  });
});

describe('an exit that was refused', () => {
  const retried = (rig: CoreRig, key: string, event = refused(requote, key)) =>
    rig.does(written(awaitedOf(rig.does(event)).n));

  it('waits longer before each try', () => {
    const rig = new CoreRig([position(1)]);
    sent(rig, close);
    retried(rig, 'k1');
    rig.does(asked({ type: 'seen' }, 'k1~1'));
    rig.does(written(awaitedOf(rig.does(asked({ type: 'timer' }, 'k1~1'))).n));
    retried(rig, 'k1~1');
    expect(rig.does(asked({ type: 'seen' }, 'k1~2'))).toMatchObject([
      { notice: { type: 'retrying', waitMs: 1_000 } },
      { effect: { type: 'wait to retry', ms: 1_000 } },
    ]);
  });

  it('is given up once a newer one replaces it, and no position is left to be closed by it', () => {
    const rig = new CoreRig([position(1)]);
    sent(rig, close);
    retried(rig, 'k1');
    rig.does(wants({ ...close, id: 'c2' }, 'k2'));
    const { n, change } = awaitedOf(rig.does(asked({ type: 'seen' }, 'k1~1')));
    expect(change.intents).toMatchObject([{ key: 'k1~1', state: 'absent' }]);
    expect(rig.does(written(n))).toMatchObject([{ notice: { type: 'rejected', failedExit: null } }]);
  });

  it('does not count as a failed close if it was not a close', () => {
    const rig = new CoreRig([pending(8)]);
    sent(rig, { id: 'm1', action: 'modify', order: 8, broker: null, change: { price: 1.04 } });
    retried(rig, 'k1', refused(invalidStops));
    expect(rig.does(asked({ type: 'seen' }))).toMatchObject([{ notice: { type: 'rejected', failedExit: null } }]);
  });
});

describe('a request', () => {
  const lost = () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    rig.does(asked(answered(unknown)));
    return rig;
  };
  const problemOf = (rig: CoreRig) =>
    rig.core.state.requests.requests.map(({ stage }) => 'problem' in stage && stage.problem);

  it('is moved by nothing that it does not wait for', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    for (const event of [{ type: 'timer' }, { type: 'seen' }, { type: 'failed' }] as const) {
      expect(rig.does(asked(event))).toEqual([]);
    }
    expect(kinds(rig.does(executed()))).toEqual(['find order']);
  });

  it('is reported as unknown once, however often its answer is lost', () => {
    const rig = lost();
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    rig.does(asked(reported(null)));
    expect(rig.does(asked(answered(unknown)))).toMatchObject([{ type: 'ask', effect: { type: 'wait' } }]);
  });

  it('waits a short time in a shutdown', () => {
    const rig = lost();
    const waitOf = () => rig.does(asked({ type: 'failed' })).map((effect) => effect.type === 'ask' && effect.effect);
    const [first] = waitOf();
    rig.does(asked({ type: 'timer' }));
    const [second] = waitOf();
    rig.does(asked({ type: 'timer' }));
    rig.at = { ...rig.at, isStopping: true };
    expect([first, second, ...waitOf()]).toEqual([200, 400, 200].map((ms) => ({ type: 'wait', ms })));
  });

  it('keeps its problem while it is held, and loses it with the journal that knows it', () => {
    const rig = lost();
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'lost' } }));
    const problem = expect.stringMatching(/^the trade journal of the gateway was lost/) as string;
    expect(problemOf(rig)).toEqual([problem]);
    rig.does(asked({ type: 'timer' }));
    expect(rig.does(asked({ type: 'failed' }))).toMatchObject([{ type: 'ask', effect: { type: 'stay held' } }]);
    expect(problemOf(rig)).toEqual([problem]);
    rig.does(asked({ type: 'timer' }));
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    rig.does(asked(reported(null)));
    expect(problemOf(rig)).toEqual([null]);
  });

  it('is held, and sends nothing, after an unexpected error', () => {
    const rig = new CoreRig([]);
    sent(rig, buy);
    const reason = 'disk: the next start of the daemon retries';
    expect(rig.does(asked({ type: 'broken', reason: 'disk' }))).toMatchObject([
      { type: 'notice', record: { key: 'k1' }, notice: { type: 'held', reason } },
    ]);
    expect(problemOf(rig)).toEqual([reason]);
    expect(rig.does(asked({ type: 'timer' }))).toEqual([]);
    const absent = { kind: 'absent', reason: 'by hand' } as const;
    expect(awaitedOf(rig.does(asked({ type: 'settled', conclusion: absent }))).change).toMatchObject({
      intents: [{ state: 'absent', outcome: 'by hand' }],
    });
  });
});
