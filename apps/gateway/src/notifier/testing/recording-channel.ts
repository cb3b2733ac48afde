import type { Channel, Delivery } from '../channels/channel';
import type { Notification } from '../notification';

/**
 * What becomes of an attempt: with `lost` the receiver takes the messages, and the answer does not arrive; with `throws` the
 * channel has a bug. With `deaf` an attempt does not end when it should. With `refuses some` it refuses every delivery with one of the messages in `poison`.
 */
export type Behaviour = 'takes' | 'fails' | 'refuses many' | 'refuses some' | 'lost' | 'hangs' | 'deaf' | 'throws';

/** A receiver in memory, which records what it has taken. */
export class RecordingChannel implements Channel {
  readonly type = 'webhook';
  readonly taken: Notification[] = [];
  attempts = 0;
  behaviour: Behaviour = 'takes';
  /** Ids that are refused with `refuses some`. */
  readonly poison = new Set<string>();

  constructor(
    readonly name: string,
    private readonly most = 7,
  ) {}

  fitting(messages: readonly Notification[]): number {
    return Math.min(this.most, messages.length);
  }

  async deliver(messages: readonly Notification[], signal: AbortSignal): Promise<Delivery> {
    this.attempts += 1;
    const { behaviour } = this;
    if (behaviour === 'throws') throw new TypeError('a bug');
    if (behaviour === 'deaf') await new Promise(() => undefined);
    if (behaviour === 'hangs') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    if (behaviour === 'hangs' || behaviour === 'fails') return { kind: 'failed', reason: behaviour };
    if (behaviour === 'refuses many' && messages.length > 1) {
      return { kind: 'failed', reason: 'HTTP 413', isRefused: true };
    }
    if (behaviour === 'refuses some' && messages.some(({ id }) => this.poison.has(id))) {
      return { kind: 'failed', reason: 'HTTP 400', isRefused: true };
    }
    this.taken.push(...messages);
    return behaviour === 'lost' ? { kind: 'failed', reason: 'ECONNRESET' } : { kind: 'taken' };
  }

  /** The ids that it has taken, each once, in the order of their first arrival. */
  get ids(): string[] {
    return [...new Set(this.taken.map(({ id }) => id))];
  }
}
