import {
  isGrowthProven,
  isReduced,
  isReductionExplained,
  netVolume,
  signedLots,
  type AccountLook,
  type UnderWay,
} from '@libs/account-evidence';
import { DealEntry, type TradeDeal, type TradePosition } from '@libs/terminal-client';
import type { KnownAccount, KnownPosition } from './known-account';
import { positionDifferences } from './list-differences';
import type { TradeChange } from './trade-event';

/**
 * Changes of positions since the last snapshot; updates `known`. A reduction is emitted only once the deals account for
 * it, because lists can be wrong for any time and deals cannot.
 */
export function positionChanges(known: KnownAccount, look: AccountLook, underWay: UnderWay): TradeChange[] {
  const listed = new Map(look.positions.map((position) => [position.identifier, position]));
  const changes: TradeChange[] = [];
  for (const [identifier, before] of known.positions.entriesOf(look.scope && look.scope.positions)) {
    const now = listed.get(identifier);
    const change = now && !isReduced(before.record, now) ? grownOrSame(before, now) : shrunk(before, now, look);
    if (change === 'wait') continue;
    if (now) {
      const unproven = !isReduced(before.record, now) && !isGrowthProven(before, now, look, underWay);
      const position = { record: now, toldThrough: toldThrough(before, change), ...(unproven ? { unproven } : {}) };
      if (change) known.positions.set(identifier, position);
      else known.positions.refresh(identifier, position);
    } else {
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
    const unproven = !isGrowthProven(undefined, position, look, underWay);
    known.positions.set(identifier, { record: position, toldThrough, ...(unproven ? { unproven } : {}) });
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

function grownOrSame(before: KnownPosition, now: TradePosition): TradeChange | null {
  const changed = positionDifferences(before.record, now);
  return changed.length === 0 ? null : { ...positionFacts(now), action: 'changed', position: now, changed };
}

function shrunk(before: KnownPosition, now: TradePosition | undefined, look: AccountLook): TradeChange | 'wait' {
  const { record, toldThrough } = before;
  const ofPosition = look.dealsOf.get(record.identifier) ?? [];
  if (!isReductionExplained(before, now, ofPosition)) return 'wait';
  const deals = ofPosition.filter(({ ticket, entry }) => ticket > toldThrough && entry !== DealEntry.IN);
  if (!now) return { ...positionFacts(record), action: 'closed', position: record, deals, complete: true };
  const changed = positionDifferences(record, now);
  const action = now.type === record.type ? 'partially_closed' : 'changed';
  return { ...positionFacts(now), action, position: now, changed, deals, complete: true };
}

function toldThrough(before: KnownPosition, change: TradeChange | null): number {
  const deals = change?.event === 'position' ? (change.deals ?? []) : [];
  return Math.max(before.toldThrough, ...deals.map(({ ticket }) => ticket));
}

function positionFacts({ ticket, symbol, magic }: TradePosition) {
  return { event: 'position', ticket, symbol, magic } as const;
}
