import type { PositionRecord } from '@libs/gateway-client';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import { stopActions, stopsInPlace, type LostStop } from './lost-stops';
import { blankRecord, type IntentRecord, type OwnedTicket, type StopRecord } from './records';
import { StrategyBook } from './strategy-book';

const owned = (stop: StopRecord | undefined, changes: Partial<OwnedTicket> = {}): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket: 7, stream: 'eur', symbol: 'EURUSD', intentId: 'i1', deals: [1] },
  ...{ volumeIn: '0.1', volumeOut: '0', side: 'buy', working: false, closed: false },
  ...(stop === undefined ? {} : { stop }),
  ...changes,
});
const row = (sl: number, volume = 0.1): PositionRecord => ({
  ...{ ticket: 7, identifier: 7, time: 0, time_msc: 0, time_update: 0, time_update_msc: 0, type: 0, magic: 7 },
  ...{ reason: 3, volume, price_open: 1.1, sl, tp: 0, price_current: 1.1, swap: 0, profit: 0 },
  ...{ symbol: 'EURUSD', comment: '', external_id: '', time_utc: null, client_order_id: null },
});
const request = (changes: Partial<IntentRecord>): IntentRecord => ({
  ...{ key: 'k', strategy: 'ema', broker: 'demo', intentId: 'c1', stream: 'eur', symbol: 'EURUSD', ticket: 7 },
  ...{ call: { method: 'POST', path: '/close_position', body: { position: { ticket: 7 } } }, isEntry: false },
  ...{ createdAtMs: 0, state: 'open', outcome: null, ...changes },
});
const seen: StopRecord = { sl: 1.09, isSeen: true };
const gone: LostStop = { ticket: 7, expected: 1.09, actual: 0 };

function book(
  ticket: OwnedTicket,
  position: PositionRecord,
  onLostStop: 'close' | 'restore' | undefined,
): StrategyBook {
  const own = onLostStop === undefined ? spec : { ...spec, onLostStop };
  const made = new StrategyBook(own, blankRecord('ema'), [ticket]);
  made.see(ticket.broker, new AccountRows([position], []));
  return made;
}

describe('a stop-loss that was lost', () => {
  interface Case {
    readonly stop?: StopRecord | undefined;
    readonly found?: LostStop;
    readonly position?: PositionRecord;
    readonly inFlight?: readonly IntentRecord[];
    readonly onLostStop?: 'close' | 'restore' | undefined;
    readonly broker?: string;
  }
  const acted = (of: Case) => {
    const { stop, found, position, inFlight, onLostStop, broker }: Required<Case> = {
      ...{ stop: seen, found: gone, position: row(0), inFlight: [], onLostStop: 'close', broker: 'demo' },
      ...of,
    };
    const holdings = { book: book(owned(stop), position, onLostStop), inFlight };
    return stopActions(holdings, { broker, lost: [found], digits: { EURUSD: 5 } });
  };

  it('closes the position, or is set again, and is noted on the ticket', () => {
    expect(acted({})).toEqual([
      {
        intent: { id: 'lost-stop-7', action: 'close', position: 7, broker: 'demo', volume: null },
        reason: 'its stop-loss 1.09000 was lost',
        noted: owned({ ...seen, handled: 0 }),
      },
    ]);
    const changed = { found: { ...gone, actual: 1.08 }, position: row(1.08) };
    expect(acted({ onLostStop: 'restore', ...changed })).toEqual([
      {
        intent: { id: 'lost-stop-7', action: 'protect', position: 7, broker: 'demo', sl: 1.09 },
        reason: 'its stop-loss 1.09000 was changed to 1.08000',
        noted: owned({ ...seen, handled: 1.08 }),
      },
    ]);
  });

  it('is acted on without ever having been shown, if it is gone', () => {
    expect(acted({ stop: { sl: 1.09, isSeen: false } })).toHaveLength(1);
  });

  it.each<[string, Case]>([
    ['the strategy wants nothing done', { onLostStop: undefined }],
    ['it is of another gateway', { broker: 'live' }],
    ['it is of another position', { found: { ...gone, ticket: 8 } }],
    ['the strategy set none', { stop: undefined }],
    ['the strategy removed it', { stop: { sl: 0, isSeen: true }, found: { ...gone, expected: 0 } }],
    ['the gateway expects another one', { found: { ...gone, expected: 1.08 } }],
    ['it is in place', { found: { ...gone, actual: 1.09 }, position: row(1.09) }],
    ['the list shows another one than the gateway', { position: row(1.09) }],
    ['the same loss was acted on', { stop: { ...seen, handled: 0 } }],
    [
      'the broker rounded it',
      { stop: { sl: 1.09, isSeen: false }, found: { ...gone, actual: 1.08 }, position: row(1.08) },
    ],
    ['a request for the position is in flight', { inFlight: [request({})] }],
    ['the account is not explained', { position: row(0, 0.05) }],
  ])('causes nothing while %s', (_case, of) => {
    expect(acted(of)).toEqual([]);
  });

  it('is acted on while a request for another position, or at another gateway, is in flight', () => {
    expect(acted({ inFlight: [request({ ticket: 8 }), request({ broker: 'live' })] })).toHaveLength(1);
  });
});

describe('a stop-loss that the account shows', () => {
  const noted = (stop: StopRecord | undefined, sl: number, onLostStop: 'close' | null = 'close') =>
    stopsInPlace({ book: book(owned(stop), row(sl), onLostStop ?? undefined) });

  it('is noted when it is first in place, and when it is back', () => {
    expect(noted({ sl: 1.09, isSeen: false }, 1.09)).toEqual([owned(seen)]);
    expect(noted({ ...seen, handled: 0 }, 1.09)).toEqual([owned(seen)]);
  });

  it('is not noted again, nor another one, nor where nothing would be done about its loss', () => {
    expect([noted(seen, 1.09), noted({ sl: 1.09, isSeen: false }, 1.08), noted(undefined, 1.09)]).toEqual([[], [], []]);
    expect(noted({ sl: 1.09, isSeen: false }, 1.09, null)).toEqual([]);
  });
});
