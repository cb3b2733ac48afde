import type { Notification } from '../notification';
import type { ChannelSpec } from '../notifier-file';

/** The result of one attempt. No text of it contains a secret or an address. */
export type Delivery =
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** The receiver refused the content; the next attempt has one message only. */
      readonly isRefused?: boolean;
      /** How long the receiver asked to wait. */
      readonly retryAfterMs?: number;
    };

/** A place that messages are delivered to. */
export interface Channel {
  readonly name: string;
  readonly type: ChannelSpec['type'];
  /** How many of the oldest messages go into one delivery; at least 1. */
  fitting(messages: readonly Notification[]): number;
  /** Delivers messages once, in order. Never rejects. */
  deliver(messages: readonly Notification[], signal: AbortSignal): Promise<Delivery>;
}
