/** One message, the same on each of its channels. */
export interface Notification {
  /** The same on every channel and in every repetition, so that a receiver can drop what it has. */
  readonly id: string;
  readonly type: NotificationType;
  /** `raised` and `resolved` for watched states; null for everything else. */
  readonly state: 'raised' | 'resolved' | null;
  /** When it happened, ISO-8601 UTC. */
  readonly at: string;
  /** Login of the account; null while none is known. */
  readonly account: number | null;
  readonly text: string;
  /** Facts for programs: the trade event, or the figures. */
  readonly data: object | null;
}

export type NotificationType =
  | 'trade'
  | 'halt'
  | 'terminal'
  | 'storage'
  | 'unknown_outcome'
  | 'difference'
  | 'signals'
  | 'drawdown'
  | 'daily_report'
  /** Trade events that are no longer in the log were not delivered. */
  | 'events_missed';

/** A message as one line for people. */
export function lineOf({ at, account, text, id }: Notification): string {
  return `${at} ${account === null ? '' : `account ${account}: `}${text} [${id}]`;
}
