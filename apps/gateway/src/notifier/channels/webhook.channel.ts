import type { Clock } from '@libs/clock';
import type { Notification } from '../notification';
import type { WebhookSpec } from '../notifier-file';
import type { Channel, Delivery } from './channel';
import { post } from './http-post';
import { signature, signatureHeader } from './signature';

const mostAtOnce = 50;

/** Posts `{"messages": [...]}` with a signature. Messages that waited are sent together, in order. */
export class WebhookChannel implements Channel {
  readonly type = 'webhook';

  constructor(
    private readonly spec: WebhookSpec,
    private readonly clock: Clock,
  ) {}

  get name(): string {
    return this.spec.name;
  }

  fitting(messages: readonly Notification[]): number {
    return Math.min(mostAtOnce, messages.length);
  }

  deliver(messages: readonly Notification[], signal: AbortSignal): Promise<Delivery> {
    const { url, secret } = this.spec;
    const body = JSON.stringify({ messages });
    const seconds = Math.floor(this.clock.nowMs() / 1_000);
    return post({ url, body, headers: { [signatureHeader]: signature(secret, seconds, body) }, signal });
  }
}
