import type { IntentRecord, OwnedTicket } from '../../../../apps/daemon/src/core/records';
import { change } from '../../testing/sample';
import type { TradeAsk } from '../trade-asks';
import { TrailWatch } from '../trail-watch';
import { trailedBack, trailedElse, trailedTwice } from './trails';

const asking = (body: TradeAsk['body']): TradeAsk => ({
  ...{ key: 'k1', site: 0, method: 'POST', path: '/modify_sl_tp', body: { position: 5, ...body } },
  ...{ isEntry: false, atMs: 0, run: 1 },
});

const intent = (changes: Partial<IntentRecord>): IntentRecord => ({
  ...{ key: 'k1', strategy: 'trend', broker: 'gw0', intentId: 'i1', stream: null, symbol: null, ticket: 5 },
  call: { method: 'POST', path: '/modify_sl_tp', body: { position: 5, sl: 1.1 } },
  ...{ isEntry: false, createdAtMs: 0, state: 'open', outcome: null },
  ...changes,
});

const trail = { intentId: 'i1', side: 'buy', distance: 0.001, step: 0.0001, activateAt: null } as const;
const ticket = (changes: Partial<OwnedTicket> = {}): OwnedTicket => ({
  ...{ strategy: 'trend', broker: 'gw0', ticket: 5, stream: 's0', symbol: 'EURUSD', intentId: null, deals: [] },
  ...{ volumeIn: '0.1', volumeOut: '0', closed: false, trail },
  ...changes,
});

describe('a trailing stop', () => {
  it('fails when it asks for anything but a stop-loss', () => {
    expect(trailedElse(asking({ sl: 1.1 }))).toEqual([]);
    for (const body of [{ sl: 1.1, tp: 1.2 }, { sl: 1.1, clear_tp: true }, { clear_sl: true, sl: 1.1 }, {}]) {
      expect(trailedElse(asking(body))).toHaveLength(1);
    }
  });

  it.each([
    [true, 1.09],
    [false, 1.11],
  ])('fails when it is moved away from the price (long: %s)', (isLong, sl) => {
    const back = change({ standing: { sl: 1.1, tp: 1.2, isLong }, request: { sl, tp: 1.2 } });
    expect(trailedBack(back)).toHaveLength(1);
    expect(trailedBack({ ...back, standing: { sl: 1.1, tp: 1.2, isLong: !isLong } })).toEqual([]);
    expect(trailedBack({ ...back, standing: { sl: 0, tp: 1.2, isLong } })).toEqual([]);
  });

  it('fails when another request for its position is in flight', () => {
    const mine = intent({});
    expect(trailedTwice(mine, [mine, intent({ key: 'k2' })])).toHaveLength(1);
    expect(trailedTwice(mine, [mine, intent({ key: 'k2', state: 'done' }), intent({ key: 'k3', ticket: 6 })])).toEqual(
      [],
    );
  });
});

describe('the trailing stops after a restart', () => {
  const { trail: _, ...without } = ticket();
  const lost = { openTickets: [without] };
  const watching = (running: readonly string[] = []): TrailWatch => {
    const watch = new TrailWatch();
    watch.committed(ticket());
    watch.begin(new Set(running));
    return watch;
  };

  it('fail when one that was on disk is gone', () => {
    expect(watching().look(lost, () => true)).toHaveLength(1);
    expect(watching().look({ openTickets: [ticket()] }, () => true)).toEqual([]);
    expect(watching().look({ openTickets: [] }, () => true)).toEqual([]);
  });

  it('hold when the strategy has changed it since, or its position was reversed', () => {
    const watch = watching();
    watch.decided('trend', [{ id: 'i2', action: 'trail', position: 5, broker: null, trail: null }]);
    expect(watch.look(lost, () => true)).toEqual([]);
    expect(watching().look(lost, () => false)).toEqual([]);
  });

  it('hold when the strategy runs on another host, where a change may not be written yet', () => {
    expect(watching(['trend']).look(lost, () => true)).toEqual([]);
  });

  it('go on with a change that the run before has written late', () => {
    const watch = watching();
    const changed = ticket({ trail: { ...trail, intentId: 'i3' } });
    watch.committed(changed);
    expect(watch.look({ openTickets: [changed] }, () => true)).toEqual([]);
    expect(watch.look(lost, () => true)).toHaveLength(1);
  });
});
