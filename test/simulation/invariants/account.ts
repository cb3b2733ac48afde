import type { Ask } from '../asks';
import type { SendRecord } from '../sends';

/**
 * Nothing is sent when the account that the gateway read last is not the one that it trades for. An answer that comes in
 * the instant of the send may be taken up after it.
 */
export function sentToOtherAccount(send: SendRecord, last: AccountReading | null, login: number): string[] {
  if (last !== null && (last.login === login || last.atMs === send.atMs)) return [];
  const read = last?.login ?? null;
  return [`send ${send.number} (${send.marker}) went out after account ${read} was read, for account ${login}`];
}

/** What the gateway has read last. */
export interface AccountReading {
  /** Null: none was logged in. */
  readonly login: number | null;
  /** When it had the answer, in virtual milliseconds. */
  readonly atMs: number;
}

/** The account is read right before each send. @param withinMs what may lie between the two */
export function sentWithoutReading(send: SendRecord, last: AccountReading | null, withinMs: number): string[] {
  const agoMs = last === null ? Number.POSITIVE_INFINITY : send.atMs - last.atMs;
  if (agoMs <= withinMs) return [];
  return [`send ${send.number} (${send.marker}) goes out ${agoMs} ms after the account was read`];
}

/** The account is read at most so long before the send that it lets pass. */
const readBeforeMs = 15_000;

/**
 * The account is read right before each send, not only now and then.
 * @param switchedAtMs since when the terminal is logged in to another account; null while it is in its own
 * @param pausedMs for how long the gateway stood still meanwhile
 */
export function sentLongAfterSwitch(
  send: SendRecord,
  switchedAtMs: number | null,
  login: number,
  pausedMs: number,
): string[] {
  if (send.login === login || switchedAtMs === null || send.atMs - switchedAtMs <= readBeforeMs + pausedMs) return [];
  return [
    `send ${send.number} (${send.marker}) went out ${send.atMs - switchedAtMs} ms after the terminal had another account`,
  ];
}

/** Nothing is sent for a request that says it is meant for another account. @param asked who asked for what is sent */
export function sentForOtherAccount(send: SendRecord, asked: readonly Ask[]): string[] {
  if (asked.length === 0 || asked.some(({ isStray }) => !isStray)) return [];
  const keys = asked.map(({ key }) => key).join(', ');
  return [`send ${send.number} (${send.marker}) goes out for ${keys}, which is meant for another account`];
}

/** A request that says it is meant for another account does not succeed. */
export function succeededForOtherAccount({ key, isStray }: Ask, status: number): string[] {
  return isStray && status < 300 ? [`${key} is meant for another account and was answered ${status}`] : [];
}
