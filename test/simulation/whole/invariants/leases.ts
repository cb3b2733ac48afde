import type { SendRecord } from '../../sends';

/** A lease, or a fence, by its name and token. */
export interface Claim {
  readonly name: string;
  readonly token: number;
}

/** Each holder of a lease has a higher token than all before it. @param highest that was issued before; 0 for none */
export function tokenNotHigher({ name, token }: Claim, highest: number): string[] {
  if (token > highest) return [];
  return [`the lease of ${name} is issued with token ${token}, and one had ${highest}`];
}

/** The state of a unit changes only under its newest token. */
export function writtenUnderOldToken({ name, token }: Claim, newest: number): string[] {
  if (token >= newest) return [];
  return [`the state of ${name} is written under token ${token}, and its lease has ${newest}`];
}

/** A statement that renewed leases has renewed only those that the host holds. */
export function renewedOldToken({ name, token }: Claim, newest: number): string[] {
  if (token >= newest) return [];
  return [`the lease of ${name} is renewed under token ${token}, and it has ${newest}`];
}

/** An exit is in the state, or in the journal of its host, before it is sent. */
export function exitNotKept(key: string, isKept: boolean): string[] {
  return isKept ? [] : [`the exit ${key} is sent, and neither the database nor its host has it`];
}

/** Every request of a unit names its fence. @param header X-Fence; undefined when there is none */
export function unfenced(key: string, unit: string, header: string | undefined): string[] {
  if (header !== undefined && header.startsWith(`${unit};`)) return [];
  return [`the request ${key} of ${unit} names ${header ?? 'no fence'}`];
}

/**
 * An entry is decided under a lease that was renewed less than two thirds of its duration before.
 * @param decidedAtMs when its strategy decided; the daemon checks its lease later
 * @param renewedAtMs when the last renewal was sent that was answered before the entry was sent; null for none
 */
export function enteredAfterLease(
  key: string,
  decidedAtMs: number,
  renewedAtMs: number | null,
  leaseMs: number,
): string[] {
  const ageMs = decidedAtMs - (renewedAtMs ?? -Infinity);
  if (ageMs < (leaseMs * 2) / 3) return [];
  return [`the entry ${key} was decided ${Math.round(ageMs)} ms after its lease was renewed last`];
}

/**
 * A strategy is not run twice: nothing is sent for an earlier holder after a later one has sent, or after the fence was
 * raised at this gateway.
 * @param token the highest under which the request was sent
 */
export function sentForEarlierHolder(
  { number, marker }: Pick<SendRecord, 'number' | 'marker'>,
  { name, token }: Claim,
  { raised, trading }: { readonly raised: number; readonly trading: number },
): string[] {
  if (token < raised) {
    return [
      `send ${number} (${marker}) goes out under token ${token} of ${name}, and the fence was raised to ${raised}`,
    ];
  }
  if (token >= trading) return [];
  return [`send ${number} (${marker}) goes out under token ${token} of ${name}, and ${trading} trades`];
}
