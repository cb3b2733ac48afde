import type { dealRowFields, RecordOf } from '@libs/records';
import { DealEntry, DealType, type TradeDeal } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';

const typeNames = namesOf(DealType);
const entryNames = namesOf(DealEntry);

/** A deal with its time in UTC (null while no offset is known) and its enumerations as names. */
export type DealRow = Readonly<RecordOf<typeof dealRowFields>>;

export function dealRow(deal: TradeDeal, serverTime: ServerTime): DealRow {
  return {
    ...deal,
    time_utc: serverTime.utcIsoMs(deal.time_msc),
    type_str: typeNames.get(deal.type) ?? `UNKNOWN_${deal.type}`,
    entry_str: entryNames.get(deal.entry) ?? `UNKNOWN_${deal.entry}`,
  };
}

function namesOf(table: Readonly<Record<string, number>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(table).map(([name, value]) => [value, name]));
}
