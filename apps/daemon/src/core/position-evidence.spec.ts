import type { DealRecord, PositionRecord } from '@libs/gateway-client';
import { DealEntry, DealType, PositionType } from '@libs/trade-constants';
import fc from 'fast-check';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import { planOf } from './plan';
import { blankRecord, type OwnedTicket } from './records';
import { entryDenied, undisturbed } from './risk';
import { StrategyBook } from './strategy-book';

const lots = 0.1;
const owned = (ticket: number): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: null, side: 'buy' },
  ...{ deals: [ticket], volumeIn: '0.1', volumeOut: '0', working: false, closed: false },
});

function row(ticket: number, volume = lots): PositionRecord {
  const times = { time: 0, time_msc: 0, time_utc: null, time_update: 0, time_update_msc: 0, client_order_id: null };
  const prices = { price_open: 1.1, price_current: 1.1, sl: 0, tp: 0, swap: 0, profit: 1 };
  const ids = { ticket, identifier: ticket, magic: 7, reason: 3, symbol: 'EURUSD', comment: '', external_id: '' };
  return { ...times, ...prices, ...ids, type: PositionType.BUY, volume };
}

function closing(position: number, volume = lots): DealRecord {
  return {
    ...{ ticket: 100 + position, order: 9, type: DealType.SELL, reason: 3, entry: DealEntry.OUT },
    ...{ volume, price: 1.1, profit: -1, commission: 0, swap: 0, fee: 0, magic: 7, position_id: position },
    ...{ symbol: 'EURUSD', time: 0, time_msc: 0, comment: '', external_id: '', time_utc: null, client_order_id: null },
  };
}

const tickets = [1, 2, 3];
const bookOf = (of: readonly number[]): StrategyBook => new StrategyBook(spec, blankRecord('ema'), of.map(owned));
const looks = (book: StrategyBook, rows: readonly PositionRecord[]): void => {
  book.see('demo', new AccountRows(rows, []));
};
const books = (book: StrategyBook, ticket: number, deals: readonly DealRecord[]): void =>
  book.apply(book.booking('demo', ticket, deals, () => null).change);
const denied = (book: StrategyBook): string | null => entryDenied(lots, 'demo', { book, inFlight: [] }, undisturbed);

describe('a position that a list lacks', () => {
  it('is closed by the ticket that it was last shown under', () => {
    const book = bookOf([1]);
    looks(book, [{ ...row(1), ticket: 20 }]);
    looks(book, []);
    const close = { id: 'c', action: 'close', position: 1, broker: null, volume: null } as const;
    expect(planOf(close, { book, inFlight: [] }, null)).toMatchObject({
      ...{ ticket: 1, call: { body: { position: { ticket: 20 } } } },
    });
  });

  it('stays in the book, and entries are denied, however often the list lacks it', () => {
    const book = bookOf([1]);
    looks(book, [row(1)]);
    for (let look = 0; look < 100; look++) {
      looks(book, []);
      books(book, 1, []);
    }
    expect(book.positions).toMatchObject([{ ticket: 1, volume: lots }]);
    expect(denied(book)).toBe('account_not_explained: position 1 is not shown; no deal has closed it');
  });

  it('is gone, and entries pass, once a deal closed it', () => {
    const book = bookOf([1]);
    looks(book, [row(1)]);
    looks(book, []);
    books(book, 1, [closing(1)]);
    expect(book.positions).toEqual([]);
    expect(denied(book)).toBeNull();
  });

  it('permits entries again when the list shows it again', () => {
    const book = bookOf([1]);
    looks(book, []);
    expect(denied(book)).toContain('account_not_explained');
    looks(book, [row(1)]);
    expect(denied(book)).toBeNull();
  });

  it('denies entries when it is only smaller, and no deal says so', () => {
    const book = bookOf([1]);
    looks(book, [row(1, 0.05)]);
    expect(denied(book)).toContain('account_not_explained');
    books(book, 1, [closing(1, 0.05)]);
    expect(denied(book)).toBeNull();
  });

  it('denies entries when it is shown on the other side, and no deal says so', () => {
    const book = bookOf([1]);
    looks(book, [{ ...row(1), type: PositionType.SELL }]);
    expect(denied(book)).toContain('account_not_explained');
    looks(book, [row(1)]);
    expect(denied(book)).toBeNull();
  });

  it('survives that the state is handed to another core', () => {
    const book = bookOf([1]);
    looks(book, [row(1)]);
    looks(book, []);
    const next = new StrategyBook(spec, book.record, book.openTickets, book.rows);
    expect(next.positions).toEqual(book.positions);
  });
});

it('is never flat in the books before a deal closed it, in any history of lists', () => {
  const look = fc.record({ look: fc.subarray(tickets) });
  const deal = fc.record({ deal: fc.constantFrom(...tickets) });
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: look }, { weight: 1, arbitrary: deal })), (history) => {
      const book = bookOf(tickets);
      looks(
        book,
        tickets.map((ticket) => row(ticket)),
      );
      const open = new Set(tickets);
      let shown: readonly number[] = tickets;
      for (const step of history) {
        if ('look' in step) {
          shown = step.look.filter((ticket) => open.has(ticket));
          looks(
            book,
            shown.map((ticket) => row(ticket)),
          );
        } else {
          open.delete(step.deal);
          books(book, step.deal, [closing(step.deal)]);
          shown = shown.filter((ticket) => ticket !== step.deal);
          looks(
            book,
            shown.map((ticket) => row(ticket)),
          );
        }
        expect(book.positions.map(({ ticket }) => ticket).sort()).toEqual([...open].sort());
        expect(denied(book) === null).toBe(shown.length === open.size);
      }
    }),
  );
});

describe('a floating profit that price, volume and account contradict', () => {
  const risky = { ...spec, risk: { ...spec.risk, maxDrawdownPct: 10 } };
  const shown = (book: StrategyBook, position: PositionRecord, accountProfit: number | null): string[] =>
    book.see('demo', new AccountRows([position], [], accountProfit)).map(({ shown: { profit } }) => String(profit));
  const wrong = { ...row(1), profit: -9_999 };

  it('is not believed, and noted once, while the account contradicts it', () => {
    const book = new StrategyBook(risky, blankRecord('ema'), [owned(1)]);
    expect(shown(book, row(1), 1)).toEqual([]);
    expect(shown(book, wrong, 1)).toEqual(['-9999']);
    for (let look = 0; look < 20; look++) expect(shown(book, wrong, 1)).toEqual([]);
    expect([book.unrealized.toNumber(), book.doubtedProfits('demo')]).toEqual([1, [1]]);
    expect(shown(book, row(1), 1)).toEqual([]);
    expect(book.doubtedProfits('demo')).toEqual([]);
  });

  it('is compared in the digits of its currency', () => {
    const shownIn = (moneyDigits: number): number => {
      const book = new StrategyBook(risky, blankRecord('ema'), [owned(1)]);
      book.see('demo', new AccountRows([row(1)], [], 1), moneyDigits);
      return book.see('demo', new AccountRows([{ ...row(1), profit: 5 }], [], 1), moneyDigits).length;
    };
    expect([shownIn(2), shownIn(0)]).toEqual([1, 0]);
  });

  it('survives a snapshot of the core', () => {
    const book = new StrategyBook(risky, blankRecord('ema'), [owned(1)]);
    shown(book, row(1), 1);
    shown(book, wrong, 1);
    const rows = JSON.parse(JSON.stringify(book.rows)) as typeof book.rows;
    const again = new StrategyBook(risky, blankRecord('ema'), [owned(1)], rows);
    expect([again.unrealized.toNumber(), again.doubtedProfits('demo')]).toEqual([1, [1]]);
  });

  it.each<[string, Partial<PositionRecord>, number | null]>([
    ['the account has it', { profit: -9_999 }, -9_999],
    ['the price has moved that far', { profit: -9_999, price_current: 0.1 }, null],
    ['the volume is another', { profit: -9_999, volume: 90 }, 1],
    ['it is small', { profit: 0.4 }, 1],
  ])('is believed at once if %s', (_what, change, accountProfit) => {
    const book = new StrategyBook(risky, blankRecord('ema'), [owned(1)]);
    shown(book, { ...row(1), price_open: 1.0999, price_current: 1.1 }, 1);
    shown(book, { ...row(1), price_open: 1.0999, ...change }, accountProfit);
    expect(book.unrealized.toNumber()).toBe(change.profit);
  });

  it('is believed after a minute of looks if the account is unknown', () => {
    const book = new StrategyBook(risky, blankRecord('ema'), [owned(1)]);
    shown(book, row(1), null);
    const seen = Array.from({ length: 60 }, () => {
      shown(book, wrong, null);
      return book.unrealized.toNumber();
    });
    expect([new Set(seen.slice(0, -1)), seen.at(-1)]).toEqual([new Set([1]), -9_999]);
  });

  it('counts where no row was seen before, and in a backtest', () => {
    const book = new StrategyBook(risky, blankRecord('ema'), [owned(1)]);
    shown(book, wrong, 1);
    expect(book.unrealized.toNumber()).toBe(-9_999);
    looks(book, [row(1)]);
    looks(book, [wrong]);
    expect(book.unrealized.toNumber()).toBe(-9_999);
  });
});
