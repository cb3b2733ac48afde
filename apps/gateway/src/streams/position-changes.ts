import { Decimal } from 'decimal.js';
import { DealEntry, PositionType, type TradeDeal, type TradePosition } from '@libs/terminal-client';
import { signedVolume } from '../history/position-summary';
import type { AccountLook } from './account-look';
import type { KnownAccount, KnownPosition } from './known-account';
import { positionDifferences } from './list-differences';
import type { GracePeriod } from './grace-period';
import type { TradeChange } from './trade-event';

/**
 * Changes of positions since the last snapshot; updates `known`. A reduction is emitted only once the deals account for
 * it or the grace period is over, because lists can be wrong for a moment and deals cannot.
 */
export function positionChanges(known: KnownAccount, look: AccountLook, grace: GracePeriod): TradeChange[] {
  const listed = new Map(look.positions.map((position) => [position.identifier, position]));
  const changes: TradeChange[] = [];
  for (const [identifier, before] of known.positions.entriesOf(look.scope && look.scope.positions)) {
    const now = listed.get(identifier);
    const change = now && !hasShrunk(before.record, now) ? grownOrSame(before, now) : shrunk(before, now, look, grace);
    if (change === 'wait') continue;
    if (now && !change) known.positions.refresh(identifier, { ...before, record: now });
    else if (now) known.positions.set(identifier, { record: now, toldThrough: toldThrough(before, change) });
    else {
      known.positions.delete(identifier);
      known.closedLately.set(identifier, true);
    }
    if (change) changes.push(change);
  }
  for (const [identifier, position] of listed) {
    if (known.positions.has(identifier)) continue;
    if (known.closedLately.has(identifier) && netVolume(look.dealsOf.get(identifier) ?? []).isZero()) continue;
    const behind = dealsBehind(position, look, known);
    const toldThrough = Math.max(known.deals.highest, ...behind.map(({ ticket }) => ticket));
    known.positions.set(identifier, { record: position, toldThrough });
    const deals = behind.filter(({ entry }) => entry !== DealEntry.IN);
    changes.push({ ...positionFacts(position), action: 'opened', position, ...(deals.length > 0 ? { deals } : {}) });
  }
  return changes;
}

/** The deals behind a position when it is first seen; part of it may be closed already. */
function dealsBehind({ identifier, ...position }: TradePosition, look: AccountLook, known: KnownAccount): TradeDeal[] {
  // Reported as closed, and listed again: its closing deals were reported with that.
  if (known.closedLately.has(identifier)) return [];
  const deals = look.deals.filter(({ position_id }) => position_id === identifier);
  return netVolume(deals).equals(signedLots(position)) ? deals : [];
}

/** Open lots according to these deals; long is positive. */
export function netVolume(deals: readonly TradeDeal[]): Decimal {
  return deals.reduce((net, deal) => net.plus(signedVolume(deal)), new Decimal(0));
}

function grownOrSame(before: KnownPosition, now: TradePosition): TradeChange | null {
  const changed = positionDifferences(before.record, now);
  return changed.length === 0 ? null : { ...positionFacts(now), action: 'changed', position: now, changed };
}

function shrunk(
  { record, toldThrough }: KnownPosition,
  now: TradePosition | undefined,
  look: AccountLook,
  grace: GracePeriod,
): TradeChange | 'wait' {
  const ofPosition = look.dealsOf.get(record.identifier) ?? [];
  const deals = ofPosition.filter(({ ticket, entry }) => ticket > toldThrough && entry !== DealEntry.IN);
  const complete = ofPosition.length > 0 && netVolume(ofPosition).equals(now ? signedLots(now) : 0);
  if (!complete && !grace.isOver(`position ${record.identifier}`)) return 'wait';
  if (!now) return { ...positionFacts(record), action: 'closed', position: record, deals, complete };
  const changed = positionDifferences(record, now);
  const action = now.type === record.type ? 'partially_closed' : 'changed';
  return { ...positionFacts(now), action, position: now, changed, deals, complete };
}

function hasShrunk(before: TradePosition, now: TradePosition): boolean {
  return now.type !== before.type || now.volume < before.volume;
}

function toldThrough(before: KnownPosition, change: TradeChange | null): number {
  const deals = change?.event === 'position' ? (change.deals ?? []) : [];
  return Math.max(before.toldThrough, ...deals.map(({ ticket }) => ticket));
}

function signedLots({ type, volume }: Pick<TradePosition, 'type' | 'volume'>): Decimal {
  return type === PositionType.BUY ? new Decimal(volume) : new Decimal(volume).negated();
}

function positionFacts({ ticket, symbol, magic }: TradePosition) {
  return { event: 'position', ticket, symbol, magic } as const;
}
