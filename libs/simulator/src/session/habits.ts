import type { TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';
import type { Fault, FaultKind, LaggingList } from './fault';

/** A row of a list of the account. */
export type ListRow = TradePosition | TradeOrder | TradeDeal;

/** The faults that change how lists show the broker's books. */
export type HabitKind = (typeof habitKinds)[number];

export const habitKinds = [
  ...(['lists-not-loaded', 'history-lacks', 'comments', 'trade-clock', 'reasons', 'magic-zero'] as const),
  ...(['float-noise', 'rows-twice', 'rows-reversed'] as const),
] as const satisfies readonly FaultKind[];

type Habit<Kind extends HabitKind> = Extract<Fault, { readonly kind: Kind }>;

/** Length of a comment that a server cut. */
const cutComment = 16;
/** What remains in a volume that was computed in doubles. */
const noise = 1e-9;

/** The rows of a list as a terminal with these habits shows them: one habit after the other. */
export function withHabits<Row extends ListRow>(
  habits: readonly Fault[],
  list: LaggingList,
  rows: readonly Row[],
): Row[] {
  return habits.reduce((shown, habit) => withHabit(habit, list, shown), [...rows]);
}

function withHabit<Row extends ListRow>(habit: Fault, list: LaggingList, rows: Row[]): Row[] {
  switch (habit.kind) {
    case 'lists-not-loaded':
      return notLoaded(habit, list, rows);
    case 'history-lacks':
      return lacking(habit, list, rows);
    case 'comments':
      return commented(habit, rows);
    case 'trade-clock':
      return rows.map((row) => shifted(row, habit.seconds));
    case 'reasons':
      return rows.map((row) => ({ ...row, reason: habit.reason }));
    case 'magic-zero':
      return rows.map((row) => ({ ...row, magic: 0 }));
    case 'float-noise':
      return rows.map(noisy);
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

/** No volume has no noise: nothing was computed. */
function noisy<Row extends ListRow>(row: Row): Row {
  const inexact = (volume: number): number => (volume === 0 ? 0 : volume + noise);
  if (!('volume_initial' in row)) return { ...row, volume: inexact(row.volume) };
  return {
    ...row,
    volume_initial: inexact(row.volume_initial),
    volume_current: inexact(row.volume_current),
  };
}
