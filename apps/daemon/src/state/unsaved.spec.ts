import type { Change, IntentRecord, OwnedTicket, StrategyRecord } from '../core/records';
import { Unsaved } from './persistence';

const record = (realized: string): StrategyRecord => ({
  ...{ name: 'ema', realized, trades: 1, lastTrade: null, halt: null, day: null, peakEquity: null },
});
const ticket = (number: number, closed: boolean): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket: number, stream: 'eur', symbol: 'EURUSD', intentId: null },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', closed },
});
const intent = (key: string, state: IntentRecord['state']): IntentRecord => ({
  ...{ key, strategy: 'ema', broker: 'demo', intentId: key, stream: 'eur', symbol: 'EURUSD', ticket: null },
  ...{ call: { method: 'POST', path: '/order' }, isEntry: true, createdAtMs: 0, state, outcome: null },
});

/** A change that the disk does not take. */
function refuse(unsaved: Unsaved, change: Change): void {
  unsaved.begin(change);
  unsaved.refused(change);
}

describe('what a full disk refused', () => {
  it('is written with the next change, so that a result is never stored without its deals', () => {
    const unsaved = new Unsaved();
    refuse(unsaved, { strategy: record('5'), tickets: [ticket(7, true)] });
    const next = unsaved.with({ strategy: record('6'), tickets: [ticket(8, false)] });
    expect(next).toMatchObject({ strategy: { realized: '6' }, tickets: [{ ticket: 7, closed: true }, { ticket: 8 }] });
    unsaved.saved(next);
    expect(unsaved.isEmpty).toBe(true);
    const alone = { tickets: [ticket(9, false)] };
    expect(unsaved.with(alone)).toBe(alone);
  });

  it('is the newest kept state, until that is written', () => {
    const unsaved = new Unsaved();
    const kept = (json: string) => ({ strategy: 'ema', version: 1, json });
    refuse(unsaved, { kept: kept('1') });
    const next = unsaved.with({ tickets: [ticket(7, false)] });
    expect(next.kept).toEqual(kept('1'));
    refuse(unsaved, { kept: kept('2') });
    unsaved.saved(next);
    expect(unsaved.with({}).kept).toEqual(kept('2'));
    expect(unsaved.with({ kept: kept('3') }).kept).toEqual(kept('3'));
  });

  it('stays when it was refused while another change was being written', () => {
    const unsaved = new Unsaved();
    refuse(unsaved, { tickets: [ticket(7, false)] });
    const written = unsaved.with({});
    refuse(unsaved, { tickets: [ticket(7, true)] });
    unsaved.saved(written);
    expect(unsaved.with({})).toMatchObject({ tickets: [{ ticket: 7, closed: true }] });
  });

  it('is taken along by a change that is written meanwhile, and does not come back if that is durable', () => {
    const unsaved = new Unsaved();
    const first = { strategy: record('5'), tickets: [ticket(7, true)] };
    unsaved.begin(first);
    const second = unsaved.with({ strategy: record('6') });
    expect(second).toMatchObject({ strategy: { realized: '6' }, tickets: [{ ticket: 7, closed: true }] });
    unsaved.begin(second);
    unsaved.saved(second);
    unsaved.refused(first);
    expect(unsaved.isEmpty).toBe(true);
    unsaved.begin(first);
    unsaved.begin(unsaved.with({ strategy: record('6') }));
    unsaved.saved(first);
    expect(unsaved.with({})).toMatchObject({ strategy: { realized: '6' }, tickets: [] });
  });

  it('does not bring back an entry that was never sent, and withdraws it in case it was written after all', () => {
    const unsaved = new Unsaved();
    refuse(unsaved, { intents: [intent('k1', 'open')] });
    const next = unsaved.with({ intents: [intent('k2', 'open')] });
    expect(next).toMatchObject({ intents: [{ key: 'k2', state: 'open' }], unsent: [{ key: 'k1' }] });
    unsaved.saved(next);
    expect(unsaved.isEmpty).toBe(true);
  });

  it('does not withdraw an exit, which is sent all the same', () => {
    const unsaved = new Unsaved();
    refuse(unsaved, { intents: [{ ...intent('k1', 'open'), isEntry: false }] });
    expect(unsaved.isEmpty).toBe(true);
  });

  it('keeps the outcome of a request, so that it is not resolved again after a restart', () => {
    const unsaved = new Unsaved();
    refuse(unsaved, { intents: [intent('k1', 'done')] });
    const next = unsaved.with({ intents: [intent('k2', 'open')] });
    expect(next.intents).toMatchObject([
      { key: 'k1', state: 'done' },
      { key: 'k2', state: 'open' },
    ]);
    unsaved.saved(next);
    expect(unsaved.isEmpty).toBe(true);
  });
});
