import type { Change } from './core-event';
import type { FenceClaim, Losses, StoredFence, WantedFence } from './fence';
import { isHeld, problemOf, tokenToExceed, type FenceProblem } from './fence-rules';
import type { TradeState } from './trade-state';

/** A fence as GET /fences shows it. */
export interface ShownFence {
  readonly strategy: string;
  /** The stored token; for a held fence the token that a raise must exceed. */
  readonly token: number;
  readonly magics: readonly number[];
  readonly state: 'raised' | 'held';
  readonly raisedAtMs: number | null;
}

type Fenced = Pick<TradeState, 'fences' | 'raising' | 'sending'>;

export function shownFence({ fences }: Fenced, name: string, losses: Losses): ShownFence | null {
  const fence = fences.get(name);
  if (!fence) return null;
  const { magics, raisedAtMs } = fence;
  const state = isHeld(fence, losses) ? 'held' : 'raised';
  return { strategy: name, token: tokenToExceed(fence, losses), magics, state, raisedAtMs };
}

/**
 * Why a request must not be sent; null if it may.
 * @param magic of the send; null while it is not known
 * @param certainty `possible`: what the send changes may be of another magic number
 */
export function fenceProblem(
  { fences }: Fenced,
  claim: FenceClaim | null,
  magic: number | null,
  losses: Losses,
  certainty: 'certain' | 'possible' = 'certain',
): FenceProblem | null {
  const problem = claim && problemOf(claim, fences.get(claim.name), losses);
  if (problem) return problem;
  const owner = magic === null ? undefined : ownerOf(fences, magic);
  if (magic === null || owner === undefined || owner === claim?.name) return null;
  return { kind: 'magic', magic, owner, certainty };
}

/** As {@link fenceProblem}, of a send. @param magics the certain one first, then those that it may have instead */
export function problemOfSend(
  state: Fenced,
  claim: FenceClaim | null,
  [magic = 0, ...possible]: readonly number[],
  losses: Losses,
): FenceProblem | null {
  const doubts = possible.flatMap((one) => fenceProblem(state, claim, one, losses, 'possible') ?? []);
  return fenceProblem(state, claim, magic, losses) ?? doubts[0] ?? null;
}

/** The write of a raise that concerns such a request; null if none is under way. */
export function raisingWrite({ raising }: Fenced, claim: FenceClaim | null, magics: readonly number[]): number | null {
  if (raising === null) return null;
  const concerns = [...raising.fences].some(
    ([name, fence]) => name === claim?.name || magics.some((magic) => fence.magics.includes(magic)),
  );
  return concerns ? raising.write : null;
}

/** How many sends that the fence would refuse now have no outcome yet. */
export function outdatedSends({ fences, sending }: Fenced, name: string): number {
  const fence = fences.get(name);
  if (!fence) return 0;
  return [...sending.values()].filter(({ claim, magics }) =>
    claim?.name === name ? claim.token < fence.token : magics.some((magic) => fence.magics.includes(magic)),
  ).length;
}

/** A raised fence, and those that lose a magic number to it. */
export function withMovedMagics({ fences }: Fenced, name: string, fence: StoredFence): Map<string, StoredFence> {
  const changed = new Map([[name, fence]]);
  for (const [other, kept] of fences) {
    const magics = kept.magics.filter((magic) => !fence.magics.includes(magic));
    if (other !== name && magics.length < kept.magics.length) changed.set(other, { ...kept, magics });
  }
  return changed;
}

/** Of the fences that the audit log has, those that a lost journal lacks. They are held. */
export function missingFences(
  { fences }: Fenced,
  audited: readonly (readonly [name: string, fence: WantedFence])[],
): Map<string, StoredFence> {
  const missing = new Map<string, StoredFence>();
  for (const [name, { token, magics }] of audited) {
    const known = fences.get(name);
    if (known && known.token >= token) continue;
    // A magic number may have moved to another fence since.
    const free = magics.filter((magic) => ownerOf(fences, magic) === undefined);
    missing.set(name, { token, magics: [...(known?.magics ?? []), ...free], losses: null, raisedAtMs: null });
  }
  return missing;
}

export function fenceChanges(fences: ReadonlyMap<string, StoredFence>): Change[] {
  return [...fences].map(([name, fence]) => ({ put: 'fence', name, fence }));
}

function ownerOf(fences: ReadonlyMap<string, StoredFence>, magic: number): string | undefined {
  for (const [name, { magics }] of fences) if (magics.includes(magic)) return name;
  return undefined;
}
