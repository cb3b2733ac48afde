import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { sameVolume, subtractVolume, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { closes, type ChangeableValues, type IntentRecord } from '../trade-core/journal-records';
import type { NettedPosition } from '../trade-journal/journal-intents';
import { TradeJournal } from '../trade-journal/trade-journal';
import { answeredFill } from './fill';

/** What a change of a position or order may leave as it is. */
export type ChangeableField = keyof ChangeableValues;

const changeableFields = ['sl', 'tp', 'price', 'stoplimit', 'expiration', 'type_time'] as const;

/** 503: the terminal still shows what a change replaced, so that a value that is kept is not known. Nothing was sent. */
export class ShownAsBefore extends ApiError {
  /** @param what the position or order, as in "position 5" */
  constructor(what: string, ticket: number) {
    const reason = `${what} is shown as it was before its last change`;
    super('account_not_synchronized', `the account is not synchronized: ${reason}; nothing was sent`, {
      details: { reason, tickets: [ticket] },
      headers: { 'retry-after': '1' },
    });
  }
}

/** What a request takes over from a list, as the last request left it. */
@Injectable()
export class KeptValues {
  constructor(private readonly journal: TradeJournal) {}

  /**
   * @param what the position or order, as in "position 5"
   * @param shown its values, as the terminal shows them
   * @param kept what the change leaves as it is
   * @param netted a position of an account that nets; null for any other, and for an order
   * @throws ShownAsBefore if a value that is kept is shown as it was before an executed change
   */
  require(
    what: string,
    ticket: number,
    shown: ChangeableValues,
    kept: readonly ChangeableField[],
    netted: NettedPosition | null,
  ): void {
    const { intents } = this.journal;
    const late = netted === null ? intents.late(ticket) : intents.lateOnNetted(netted);
    if (isShownAsBefore(shown, kept, late)) throw new ShownAsBefore(what, ticket);
  }

  /** A position with the lots that are left of it, by the {@link lotsLeft} of its closes. */
  left<Row extends Pick<TradePosition, 'ticket' | 'volume' | 'time_update_msc'>>(position: Row): Row {
    const parts = this.journal.intents.late(position.ticket).flatMap((intent) => closeOf(intent, position.ticket));
    return { ...position, volume: lotsLeft(position, parts.reverse()) };
  }
}

/** What an executed send closed of a position. */
interface PartClosed {
  /** Lots of the position before it. */
  readonly before: number;
  readonly volume: number;
  /** Server milliseconds of the last quote before it. */
  readonly sinceMsc: number;
}

/** The part of a position that a send has surely closed: the broker stated the lots, or its deals did. */
function closeOf({ purpose, outcome, request, ...intent }: IntentRecord, ticket: number): PartClosed[] {
  if (outcome.kind !== 'done' || !closes(purpose)) return [];
  const { source, volume } = answeredFill(outcome.result);
  if (source === 'unresolved' || volume === null) return [];
  const before = request.position === ticket ? intent.positionVolume : (intent.by?.positionVolume ?? 0);
  return [{ before, volume, sinceMsc: intent.serverTimeMsc }];
}

/**
 * Lots of a position that are left after its executed closes: a list that is behind shows it as it was before some of them, and the
 * broker refuses to close more than there is. The lots that are shown if nothing would be left.
 * @param parts what was closed of it, the oldest first
 */
export function lotsLeft(
  shown: Pick<TradePosition, 'volume' | 'time_update_msc'>,
  parts: readonly PartClosed[],
): number {
  const first = parts.findIndex(
    ({ before, sinceMsc }) => sameVolume(before, shown.volume) && shown.time_update_msc < sinceMsc,
  );
  if (first === -1) return shown.volume;
  const left = parts.slice(first).reduce((lots, { volume }) => subtractVolume(lots, volume), shown.volume);
  return left > 0 ? left : shown.volume;
}

/**
 * Whether a list still shows, of a value that a change keeps, what changes before it replaced, or may have replaced. A change sends
 * the values that it keeps once more, so such a list would take the other change back.
 * @param shown the values of the row
 * @param kept the fields that the new change leaves as they are
 * @param changes of the row that were executed or have an unknown outcome, the newest first; entries replace the levels, too
 */
export function isShownAsBefore(
  shown: ChangeableValues,
  kept: readonly ChangeableField[],
  changes: readonly LevelsSet[],
): boolean {
  return kept.some((field) => {
    const [last, ...before] = changes.filter((change) => isSetBy(change, field));
    if (!last || isSameValue(shown[field], last.request[field])) return false;
    // A list may be behind by several changes, and one that was behind already has told what stood before the last one.
    const replaced = [last.standing, ...before.flatMap(({ standing, request }) => [standing, request])];
    return replaced.some((values) => values?.[field] !== undefined && isSameValue(shown[field], values[field]));
  });
}

/** A change of a row, or an entry that has replaced the levels of its position. */
type LevelsSet = Pick<IntentRecord, 'request' | 'standing'> & Partial<Pick<IntentRecord, 'purpose'>>;

function isSetBy({ purpose, standing }: LevelsSet, field: ChangeableField): boolean {
  return purpose === 'open' ? field === 'sl' || field === 'tp' : standing?.[field] !== undefined;
}

/**
 * Whether a row of a list shows what an executed change of it has replaced, and that no change may have restored.
 * @param late sends on the row that a list may be behind, the newest first
 */
export function isBeforeChange(row: TradePosition | TradeOrder, late: readonly IntentRecord[]): boolean {
  if (late.length === 0) return false;
  const shown = changeableOf(row);
  const done = late.filter(({ outcome }) => outcome.kind === 'done');
  const undecided = late.filter(({ outcome }) => outcome.kind !== 'done');
  return changeableFields.some((field) => {
    const isUndecided = undecided.some(({ request }) => isSameValue(shown[field], request[field]));
    return !isUndecided && isShownAsBefore(shown, [field], done);
  });
}

/** Whether a row shows all that an executed change has set. */
export function showsChange(row: TradePosition | TradeOrder, { request, outcome }: IntentRecord): boolean {
  const shown = changeableOf(row);
  return outcome.kind === 'done' && changeableFields.every((field) => isSameValue(shown[field], request[field]));
}

function changeableOf(row: TradePosition | TradeOrder): ChangeableValues {
  return 'identifier' in row ? { sl: row.sl, tp: row.tp } : valuesOf(row);
}

/** What a change of a pending order may set, as it stands. */
export function valuesOf(order: TradeOrder): Required<ChangeableValues> {
  return {
    sl: order.sl,
    tp: order.tp,
    price: order.price_open,
    stoplimit: order.price_stoplimit,
    expiration: order.time_expiration,
    type_time: order.type_time,
  };
}

/** Whether a row that is read after an executed change shows what the change set, or what the broker made of it. */
export function isShownSince(shown: ChangeableValues, change: Pick<IntentRecord, 'request' | 'standing'>): boolean {
  return !isShownAsBefore(shown, changeableFields, [change]);
}

/** The noise of binary fractions in a price. */
const noise = 1e-9;

/** Whether two values of a level, price or time are the same, apart from noise. An unknown value counts as the same. */
export function isSameValue(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || Math.abs(one - other) <= noise;
}
