import { VirtualClock } from '@libs/clock';
import type { AccountLook, Unexplained } from '@libs/account-evidence';
import type { TradeOrder } from '@libs/terminal-client';
import { FleetingRows } from './fleeting-rows';
import { KnownAccount } from './known-account';

const ticket = 77;
const order = { ticket, symbol: 'EURUSD' } as TradeOrder;
const missing = { kind: 'order_missing', spoils: 'orders', ticket, symbol: 'EURUSD', message: 'it is gone' } as const;

/** What is forgotten at last. @param looks seconds since the one before, and whether the look shows the order */
function forgotten(
  looks: readonly (readonly [afterS: number, isShown: boolean])[],
  { owned = false, also = [] as readonly Unexplained[], end = null as TradeOrder | null } = {},
): readonly number[] {
  const clock = new VirtualClock();
  const rows = new FleetingRows(clock, () => owned);
  const known = new KnownAccount();
  let gone: ReadonlySet<number> = new Set();
  for (const [afterS, isShown] of looks) {
    clock.advanceSync(afterS * 1_000);
    const orders = isShown ? [order] : [];
    const empty = { scope: null, account: null, isProfitOff: false, positions: [], deals: [], doneOrders: [] };
    const endOf = new Map([[ticket, end]]);
    const look: AccountLook = { ...empty, orders, historyFrom: null, dealsOf: new Map(), endOf };
    rows.note(known, look);
    gone = rows.in(known, look, isShown ? also : [missing, ...also]);
    if (isShown) known.orders.set(ticket, order);
  }
  return [...gone];
}

const seconds = (count: number, isShown: boolean) => Array.from({ length: count }, () => [1, isShown] as const);

describe('a row that a list has shown for moments', () => {
  it('is forgotten once it was gone for half a minute, and not before', () => {
    expect(forgotten([...seconds(3, true), ...seconds(31, false)])).toEqual([ticket]);
    expect(forgotten([...seconds(3, true), ...seconds(30, false)])).toEqual([]);
  });

  it('is not forgotten if it was there for longer, or may have been while nobody looked', () => {
    expect(forgotten([...seconds(12, true), ...seconds(60, false)])).toEqual([]);
    expect(forgotten([[0, true], [600, false], ...seconds(60, false)])).toEqual([]);
    expect(
      forgotten([
        [0, true],
        [3, false],
        [60, false],
      ]),
    ).toEqual([]);
  });

  it('is not forgotten if anything else speaks for it, or the look cannot be believed otherwise', () => {
    const passing = [...seconds(3, true), ...seconds(40, false)];
    expect(forgotten(passing, { owned: true })).toEqual([]);
    expect(forgotten(passing, { end: order })).toEqual([]);
    const also = [{ ...missing, kind: 'history_incomplete', ticket: 5 } as const];
    expect(forgotten(passing, { also })).toEqual([]);
  });

  it('is a passing one also if it comes again with each session', () => {
    const session = [...seconds(3, true), ...seconds(20, false)];
    expect(forgotten([...session, ...session, ...session, ...seconds(15, false)])).toEqual([ticket]);
  });
});
