import { answer, send } from '../testing/sample';
import type { SendRecord } from '../sends';
import {
  closedUnmeant,
  isMeant,
  toldTickets,
  toldWrongly,
  type BooksOfTickets,
  type SendsBehind,
  type ToldTickets,
} from './flattened';

const told = (changes: Partial<ToldTickets>): ToldTickets => ({
  ...{ closed: [], cancelled: [], failed: [], unknown: [], complete: null },
  ...changes,
});
const gone: BooksOfTickets = { isPositionOpen: () => false, isOrderActive: () => false, reducedBy: () => 0.1 };
const open: BooksOfTickets = { isPositionOpen: () => true, isOrderActive: () => true, reducedBy: () => 0.1 };
const close = send({ request: { position: 5 }, fate: 'done' });
const by = (...sends: SendRecord[]): SendsBehind => ({ certain: sends, possible: sends });

describe('an answer names each ticket as it is', () => {
  it('in the report of a flattening, and in the lists of a request to close all', () => {
    const lists = { closed: [{ ticket: 5 }], failed: [] };
    expect(toldTickets(answer(200, { flatten: { ...lists, complete: true } }))).toMatchObject({ complete: true });
    expect(toldTickets(answer(207, lists))).toMatchObject({ closed: [{ ticket: 5 }], complete: null });
    expect(toldTickets(answer(503, { error_type: 'terminal_unavailable', flatten: null }))).toBeNull();
  });

  it('but not when what was closed or cancelled is open', () => {
    expect(toldWrongly(told({ closed: [{ ticket: 5 }] }), gone, by(close), false)).toEqual([]);
    expect(toldWrongly(told({ closed: [{ ticket: 5 }] }), open, by(close), false)).toHaveLength(1);
    expect(toldWrongly(told({ cancelled: [{ ticket: 6 }] }), gone, by(), false)).toEqual([]);
    expect(toldWrongly(told({ cancelled: [{ ticket: 6 }] }), open, by(), false)).toHaveLength(1);
  });

  it('while a position is open that others have opened again, or that was closed in part', () => {
    const inPart = told({ closed: [{ ticket: 5 }], failed: [{ kind: 'position', ticket: 5 }] });
    expect(toldWrongly(inPart, open, by(close), false)).toEqual([]);
    expect(toldWrongly(told({ closed: [{ ticket: 5 }] }), open, by(close), true)).toEqual([]);
  });

  it('but not when it names more lots than were closed', () => {
    const twice = [0.06, 0.05].map((volume) => ({ ticket: 5, volume }));
    expect(toldWrongly(told({ closed: [{ ticket: 5, volume: 0.1 }] }), gone, by(), false)).toEqual([]);
    expect(toldWrongly(told({ closed: twice }), gone, by(), false)).toHaveLength(1);
    expect(toldWrongly(told({ closed: twice }), { ...gone, reducedBy: () => null }, by(), false)).toEqual([]);
  });

  it('but not when something was done for what has failed', () => {
    const failed = (changes: object = {}): ToldTickets =>
      told({ failed: [{ kind: 'position', ticket: 5, error_type: 'broker_rejected', ...changes }] });
    expect(toldWrongly(failed(), open, by(close), false)).toHaveLength(1);
    expect(toldWrongly(failed(), open, by({ ...close, fate: 'not done' }), false)).toEqual([]);
    expect(toldWrongly(failed({ error_type: 'unknown_outcome' }), open, by(close), false)).toEqual([]);
    expect(toldWrongly(failed({ kind: 'order' }), open, by(close), false)).toEqual([]);
    const cancel = send({ request: { order: 6 }, fate: 'lost' });
    expect(toldWrongly(failed({ ticket: 0 }), open, by(cancel), false)).toEqual([]);
  });

  it('also when only another request may have done it', () => {
    const failed = told({ failed: [{ kind: 'position', ticket: 5 }] });
    expect(toldWrongly(failed, gone, { certain: [], possible: [close] }, false)).toEqual([]);
  });

  it('but not when nothing was sent for what is unknown', () => {
    const unknown = told({ unknown: [{ kind: 'position', ticket: 5 }] });
    expect(toldWrongly(unknown, open, by(close), false)).toEqual([]);
    expect(toldWrongly(unknown, open, by(), false)).toHaveLength(1);
  });

  it('but not when it says complete and names what is left', () => {
    const left = { failed: [{ kind: 'position', ticket: 5 }] } as const;
    expect(toldWrongly(told({ ...left, complete: false }), open, by(), false)).toEqual([]);
    expect(toldWrongly(told({ ...left, complete: true }), open, by(), false)).toHaveLength(1);
  });
});

describe('what a request to close positions is limited to', () => {
  const held = { symbol: 'EURUSD', isLong: true, magics: [7, 8] };

  it('are those of a symbol, a magic number or a side', () => {
    expect([{}, { symbol: 'EURUSD' }, { magic: 8 }, { order_type: 'buy' }].map((one) => isMeant(one, held))).toEqual([
      ...[true, true, true, true],
    ]);
    const others = [{ symbol: 'USDJPY' }, { magic: 9 }, { order_type: 'SELL' }, { symbol: 'EURUSD', magic: 9 }];
    expect(others.map((one) => isMeant(one, held))).toEqual([false, false, false, false]);
  });

  it('fails when another one is closed', () => {
    expect(closedUnmeant(close, { magic: 7 }, held)).toEqual([]);
    expect(closedUnmeant(close, { magic: 9 }, held)).toHaveLength(1);
    expect(closedUnmeant(close, { magic: 9 }, null)).toEqual([]);
  });
});
