import type { FenceClaim } from '../fenced-strategies';
import type { SendRecord } from '../sends';

/** What is certain of the fences of a gateway. */
export interface KnownFences {
  /** The highest token of a fence whose raise was answered with success; 0 for none. */
  readonly answered: (name: string) => number;
  /** Whether this token may have been raised in the present journal. */
  readonly maybeRaised: (claim: FenceClaim) => boolean;
  /** The fences that a magic number may belong to; null if it may belong to none. */
  readonly ownersOf: (magic: number) => readonly string[] | null;
}

/**
 * Nothing is sent under a token below the highest one that was answered, under one that was not raised since the journal
 * was lost, or with a magic number of a fence that the request does not name.
 * @param magic of the order, or of the position or order that the send changes
 * @param claims what each request that asks for it names in X-Fence
 */
export function sentThoughFenced(
  send: SendRecord,
  magic: number,
  claims: readonly (FenceClaim | null)[],
  fences: KnownFences,
): string[] {
  const reasons = claims.map((claim) => whyFenced(magic, claim, fences));
  // Another request that asks for the same may be the one that is sent.
  const [reason] = reasons;
  if (reason === undefined || reasons.includes(null)) return [];
  return [`send ${send.number} (${send.marker}) goes out though ${reason}`];
}

/** Why a fence forbids a request; null if it may pass. */
export function whyFenced(magic: number, claim: FenceClaim | null, fences: KnownFences): string | null {
  const owners = fences.ownersOf(magic);
  if (owners !== null && (claim === null || !owners.includes(claim.name))) {
    return `magic ${magic} belongs to the fence ${owners.join(' or ')}, and it names ${claim?.name ?? 'none'}`;
  }
  if (claim === null) return null;
  const { name, token } = claim;
  const answered = fences.answered(name);
  if (token < answered) return `the fence ${name} was raised to ${answered}, and it names ${token}`;
  return fences.maybeRaised(claim) ? null : `token ${token} of the fence ${name} was not raised in this journal`;
}

/** The raise of a fence to a token below one that was answered before is refused. */
export function raisedBack({ name, token }: FenceClaim, answeredBefore: number): string[] {
  if (token >= answeredBefore) return [];
  return [`the raise of ${name} to ${token} was answered 200, and it was at ${answeredBefore} before`];
}

/**
 * A raise is answered only when every send that it fences out has its outcome or is unknown.
 * @param fencedOut the sends of the present run that it would not allow
 */
export function raisedWhileSending({ name, token }: FenceClaim, fencedOut: readonly SendRecord[]): string[] {
  return fencedOut
    .filter(({ answeredAtMs }) => answeredAtMs === null)
    .map(
      ({ number, marker }) => `the raise of ${name} to ${token} was answered while send ${number} (${marker}) goes on`,
    );
}

/** A fence as GET /fences shows it. */
export interface ShownFence {
  readonly strategy: string;
  readonly token: number;
  readonly magics: readonly number[];
  readonly state: string;
}

/** A raise that was answered, as far as the gateway has to know it now. */
export interface AnsweredRaise extends FenceClaim {
  /** Magic numbers that certainly belong to it. */
  readonly magics: readonly number[];
  /** The journal may have been lost since. */
  readonly maybeHeld: boolean;
}

/** A raise that was answered outlives crashes. @param shown all fences of the gateway */
export function forgottenRaise(raise: AnsweredRaise, shown: readonly ShownFence[]): string[] {
  const { name, token, magics, maybeHeld } = raise;
  const fence = shown.find(({ strategy }) => strategy === name);
  if (!fence) return [`the fence ${name} was raised to ${token}, and the gateway does not know it`];
  const missing = magics.filter((magic) => !fence.magics.includes(magic));
  return [
    ...(fence.token < token ? [`the fence ${name} was raised to ${token}, and is at ${fence.token}`] : []),
    ...(fence.state !== 'raised' && !maybeHeld
      ? [`the fence ${name} was raised to ${token}, and is ${fence.state}`]
      : []),
    ...(missing.length > 0 ? [`the fence ${name} does not have magic ${missing.join(', ')}`] : []),
  ];
}
