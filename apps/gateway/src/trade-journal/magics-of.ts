import { DealEntry, type TradeDeal } from '@libs/terminal-client';
import type { NewIntent } from '../trade-core/journal-records';
import type { TradeJournal } from './trade-journal';

type ClaimsAndEntries = Pick<TradeJournal, 'claim' | 'intents' | 'known'>;

/** An acknowledged entry may lack in the deals of its position for so long. */
const dealLagMs = 60_000;

/**
 * The magic numbers that fences go by, the certain one first, then those that it may have instead. Some brokers show 0 in place of
 * the one that a position or order was opened with. Without a request that opened it, it may be of each entry whose order is not known.
 * A close by is of both positions.
 * @param deals of the position of a netting account that is shown with magic 0: there each entry replaces the magic number
 */
export function magicsOf(
  intent: NewIntent,
  deals: readonly TradeDeal[] | undefined,
  journal: ClaimsAndEntries,
): number[] {
  const { request, by } = intent;
  if (!by) return magicsOfOne(intent, deals, journal);
  const opposite = { ...intent, ...by, request: { ...request, magic: by.magic, position: request.position_by } };
  return [...magicsOfOne(intent, deals, journal), ...magicsOfOne(opposite, deals, journal)];
}

function magicsOfOne(
  { request, positionId, openedMsc }: NewIntent,
  deals: readonly TradeDeal[] | undefined,
  journal: ClaimsAndEntries,
): number[] {
  const ticket = request.position || request.order;
  if (request.magic !== 0 || ticket === 0) return [request.magic];
  const opener = claimedMagic(ticket, journal) ?? claimedMagic(positionId, journal);
  if (deals) return nettedMagics(request.symbol, opener, deals, journal);
  if (opener !== null) return [opener];
  return [0, ...entryMagics(request.symbol, openedMsc, journal)];
}

function nettedMagics(
  symbol: string,
  opener: number | null,
  deals: readonly TradeDeal[],
  journal: ClaimsAndEntries,
): number[] {
  const entries = deals.filter(({ entry }) => entry === DealEntry.IN || entry === DealEntry.INOUT);
  const claimed = entries.findLastIndex(({ order }) => claimedMagic(order, journal) !== null);
  const possible = new Set([
    ...entries.slice(claimed + 1).flatMap((deal) => entryMagics(symbol, deal.time_msc, journal)),
    ...(claimed < 0 && entries.length === 0 ? entryMagics(symbol, undefined, journal) : []),
    ...acknowledgedMagics(symbol, deals, journal),
  ]);
  // An entry after the last one that is known replaced its magic number; one by hand leaves the position with its strategy.
  if (possible.size > 0) return [0, ...possible];
  return [claimedMagic(entries[claimed]?.order ?? 0, journal) ?? opener ?? 0];
}

/** Magic numbers of the entries that may have made what was opened then, server milliseconds. */
function entryMagics(symbol: string, openedMsc: number | undefined, journal: ClaimsAndEntries): number[] {
  const entries = journal.intents.entriesThatMayHaveOpened(symbol, openedMsc);
  return [...new Set(entries.map(({ request }) => request.magic || (claimedMagic(request.order, journal) ?? 0)))];
}

/** Magic numbers of the entries that the broker acknowledged lately, and whose deals are not shown yet. */
function acknowledgedMagics(symbol: string, deals: readonly TradeDeal[], journal: ClaimsAndEntries): number[] {
  const shown = new Set(deals.map(({ order }) => order));
  return journal.intents.writtenWithin(dealLagMs).flatMap(({ purpose, request, outcome }) => {
    if (purpose !== 'open' || request.symbol !== symbol || outcome.kind !== 'done') return [];
    return shown.has(outcome.result.order) ? [] : [request.magic];
  });
}

/** The magic number of the request that an order belongs to; null if it belongs to none. */
function claimedMagic(ticket: number, journal: ClaimsAndEntries): number | null {
  const claim = journal.claim(ticket);
  return claim ? (claim.magic ?? journal.known.intent(claim.intentId)?.request.magic ?? 0) : null;
}
