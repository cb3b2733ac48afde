import type { KeptRecord, StateText } from '../../../../apps/daemon/src/core/records';
import type { TradeAsk } from '../trade-asks';
import type { Decision } from './requests';

/** How often a simulated strategy had decided by a state of it: it counts up. */
function decisionsOf({ json }: Pick<StateText, 'json'>): number {
  return (JSON.parse(json) as { readonly decisions: number }).decisions;
}

/**
 * No entry is sent before the state that its handler left is on disk.
 * @param durable what its strategy keeps, on disk; null if it keeps nothing
 */
export function sentBeforeItsState(ask: TradeAsk, decision: Decision | null, durable: KeptRecord | null): string[] {
  const state = decision?.state ?? null;
  if (!ask.isEntry || state === null) return [];
  if (durable !== null && decisionsOf(durable) >= decisionsOf(state)) return [];
  return [
    `the entry ${ask.key} is sent, its strategy keeps ${state.json} by then, and ${durable?.json ?? 'nothing'} is on disk`,
  ];
}

/** A strategy begins with what is on disk, or with something newer. @param durable null if it keeps nothing */
export function beganWithOldState(strategy: string, state: StateText | null, durable: KeptRecord | null): string[] {
  if (durable === null || (state !== null && decisionsOf(state) >= decisionsOf(durable))) return [];
  return [`${strategy} begins with ${state?.json ?? 'nothing'}, and ${durable.json} is on disk`];
}
