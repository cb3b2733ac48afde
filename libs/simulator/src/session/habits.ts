import type { TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import type { Fault, FaultKind, LaggingList } from './fault';

/** A row of a list of the account. */
export type ListRow = TradePosition | TradeOrder | TradeDeal;

/** The faults that change how lists show the broker's books. */
export type HabitKind = (typeof habitKinds)[number];

export const habitKinds = [
  ...(['lists-not-loaded', 'session-start', 'late-lists', 'history-lacks', 'history-gap'] as const),
  ...(['comments', 'trade-clock', 'reasons', 'magic-zero', 'float-noise'] as const),
  ...(['flickering-lists', 'late-costs', 'late-position-ids', 'late-profits', 'passing-rows'] as const),
  ...(['rows-twice', 'rows-reversed'] as const),
] as const satisfies readonly FaultKind[];

/** What of a position moves with the market. */
export type PriceOfPosition = Pick<TradePosition, 'price_current' | 'profit'>;

/** What habits need to know beside the rows. */
export interface HabitSurroundings {
  /** Whether an order was a pending one. */
  wasPending(order: number): boolean;
  /** Server time at which a habit was set, in milliseconds. */
  setAtMsc(kind: HabitKind): number;
  /** How far the lists of the session are loaded, from 0 to 1. */
  loadedShare(): number;
  /** How long the newest session lasts by market time, in milliseconds. */
  sessionAgeMs(): number;
  /** Server time of now, in milliseconds. */
  nowMsc(): number;
  /** Counts a read of a list. @returns how many there were before */
  count(list: LaggingList): number;
  /** The price and profit of a position of up to so many milliseconds ago. */
  latePrice(position: TradePosition, ms: number): PriceOfPosition;
}

type Habit<Kind extends HabitKind> = Extract<Fault, { readonly kind: Kind }>;

/** Length of a comment that a server cut. */
const cutComment = 16;
/** Tickets of another account are so much higher. */
const otherAccount = 500_000_000;
/** What remains in a number that was computed in doubles. */
const noise = 1e-9;
/** Volumes and prices of all rows. */
const computed: ReadonlySet<string> = new Set([
  ...['volume', 'volume_initial', 'volume_current', 'price', 'price_open', 'price_current'],
  ...['price_stoplimit', 'sl', 'tp'],
]);

/** The rows of a list as a terminal with these habits shows them: one habit after the other. */
export function withHabits<Row extends ListRow>(
  habits: readonly Fault[],
  list: LaggingList,
  rows: readonly Row[],
  around: HabitSurroundings,
): Row[] {
  return habits.reduce((shown, habit) => withHabit(habit, list, shown, around), [...rows]);
}

function withHabit<Row extends ListRow>(
  habit: Fault,
  list: LaggingList,
  rows: Row[],
  around: HabitSurroundings,
): Row[] {
  switch (habit.kind) {
    case 'lists-not-loaded':
      return notLoaded(habit, list, rows);
    case 'session-start':
      return loading(habit, list, rows, around);
    case 'history-lacks':
      return lacking(habit, list, rows);
    case 'history-gap':
      return rows.filter((row) => !isInGap(habit, row, around.setAtMsc('history-gap')));
    case 'comments':
      return commented(habit, rows);
    case 'trade-clock':
      return rows.map((row) => shifted(row, habit.seconds));
    case 'reasons':
      return rows.map((row) => ({ ...row, reason: habit.reason }));
    case 'magic-zero':
      return rows.map((row) => (hidesMagic(habit, row, around) ? { ...row, magic: 0 } : row));
    case 'float-noise':
      return rows.map(noisy);
    case 'flickering-lists':
      return flickering(habit, list, rows, around);
    case 'late-costs':
      return rows.map((row) =>
        isYoung(row, habit.ms, around) && isDeal(row) ? { ...row, commission: 0, fee: 0 } : row,
      );
    case 'late-position-ids':
      return rows.map((row) => (isYoung(row, habit.ms, around) ? { ...row, position_id: 0 } : row));
    case 'late-profits':
      return rows.map((row) => (isPosition(row) ? { ...row, ...around.latePrice(row, habit.ms) } : row));
    case 'passing-rows':
      return around.sessionAgeMs() < habit.ms ? [...rows, ...passing(list, rows)] : rows;
    case 'rows-twice':
      return rows.flatMap((row) => [row, { ...row }]);
    case 'rows-reversed':
      return [...rows].reverse();
    default:
      return rows;
  }
}

function notLoaded<Row>({ shows, lists }: Habit<'lists-not-loaded'>, list: LaggingList, rows: Row[]): Row[] {
  if (lists && !lists.includes(list)) return rows;
  return shows === 'empty' ? [] : rows.slice(0, Math.floor(rows.length / 2));
}

/** The rows of the last session are read elsewhere. */
function loading<Row>(
  { shows, lists }: Habit<'session-start'>,
  list: LaggingList,
  rows: Row[],
  around: HabitSurroundings,
): Row[] {
  if (shows === 'old' || (lists && !lists.includes(list))) return rows;
  return shows === 'empty' ? [] : rows.slice(0, Math.floor(rows.length * around.loadedShare()));
}

function flickering<Row>(
  { shows, every, lists }: Habit<'flickering-lists'>,
  list: LaggingList,
  rows: Row[],
  around: HabitSurroundings,
): Row[] {
  if ((lists && !lists.includes(list)) || around.count(list) % every !== 0) return rows;
  return shows === 'empty' ? [] : rows.slice(0, Math.floor(rows.length / 2));
}

/** A row like the first one under another ticket, as that of another account. */
function passing<Row extends ListRow>(list: LaggingList, [first]: readonly Row[]): Row[] {
  if (first === undefined || (list !== 'positions' && list !== 'orders')) return [];
  const ticket = first.ticket + otherAccount;
  return [{ ...first, ticket, ...(isPosition(first) ? { identifier: ticket, profit: 0 } : {}) }];
}

/** Whether a row of the history is younger than so many milliseconds. */
function isYoung(row: ListRow, ms: number, around: HabitSurroundings): boolean {
  const doneMsc = doneAtMsc(row);
  return doneMsc !== null && doneMsc > around.nowMsc() - ms;
}

function isDeal(row: ListRow): row is TradeDeal {
  return 'entry' in row;
}

function isPosition(row: ListRow): row is TradePosition {
  return 'identifier' in row;
}

function isInGap({ seconds }: Habit<'history-gap'>, row: ListRow, setAtMsc: number): boolean {
  const doneMsc = doneAtMsc(row);
  return doneMsc !== null && doneMsc <= setAtMsc && doneMsc > setAtMsc - seconds * 1_000;
}

/** When a row of the history was done, in server milliseconds; null of a position, or of an order that is active. */
function doneAtMsc(row: ListRow): number | null {
  if ('time_done_msc' in row) return row.time_done_msc || null;
  return 'entry' in row ? row.time_msc : null;
}

function hidesMagic({ fills = false }: Habit<'magic-zero'>, row: ListRow, around: HabitSurroundings): boolean {
  if (!fills) return true;
  if ('time_setup' in row) return false;
  return around.wasPending('entry' in row ? row.order : row.identifier);
}

function lacking<Row>({ what }: Habit<'history-lacks'>, list: LaggingList, rows: Row[]): Row[] {
  const lacks = (list === 'history_orders' && what !== 'deals') || (list === 'deals' && what !== 'orders');
  return lacks ? [] : rows;
}

function commented<Row extends ListRow>({ to }: Habit<'comments'>, rows: Row[]): Row[] {
  const shown = (comment: string): string => {
    if (to === 'empty') return '';
    return to === 'cut' ? comment.slice(0, cutComment) : to;
  };
  return rows.map((row) => ({ ...row, comment: shown(row.comment) }));
}

/** All times of the trade; 0 is no time, and the expiration is what the client sent. */
function shifted<Row extends ListRow>(row: Row, seconds: number): Row {
  const at = (time: number): number => (time === 0 ? 0 : time + seconds);
  const atMsc = (msc: number): number => (msc === 0 ? 0 : msc + seconds * 1_000);
  if ('time_setup' in row) {
    return {
      ...row,
      time_setup: at(row.time_setup),
      time_setup_msc: atMsc(row.time_setup_msc),
      time_done: at(row.time_done),
      time_done_msc: atMsc(row.time_done_msc),
    };
  }
  const moved = { ...row, time: at(row.time), time_msc: atMsc(row.time_msc) };
  if (!('time_update' in row)) return moved;
  return { ...moved, time_update: at(row.time_update), time_update_msc: atMsc(row.time_update_msc) };
}

/** Zero has no noise: nothing was computed. */
function noisy<Row extends ListRow>(row: Row): Row {
  const inexact = new Map<string, number>();
  for (const [name, value] of Object.entries<unknown>({ ...row })) {
    if (computed.has(name) && typeof value === 'number' && value !== 0) inexact.set(name, value + noise);
  }
  return { ...row, ...Object.fromEntries(inexact) };
}
