import { backoffMs, type Backoff, type Clock, type Timer } from '@libs/clock';
import type { Channel, Delivery } from './channels/channel';
import { failureReason } from './channels/http-post';
import type { NotifierStore, Queued, QueueKey } from './notifier.store';

/** Waits between attempts. */
const waits: Backoff = { firstMs: 1_000, longestMs: 300_000 };
const attemptTimeoutMs = 15_000;
/** Messages that are read at a time. */
const readAtOnce = 200;
/** A message is set aside once it was refused so often in a row, alone, and happened so long ago: the receiver never takes it. */
const mostRefusals = 20;
const refusedForMs = 86_400_000;

export interface PumpLog {
  warn(facts: object, message: string): void;
  log(facts: object, message: string): void;
}

/** What became of attempts. */
export interface DeliveryCounts {
  delivered(channel: string, messages: number): void;
  failed(channel: string): void;
}

/** The state of a channel for health and metrics. */
export interface ChannelReport {
  readonly name: string;
  readonly type: Channel['type'];
  readonly state: 'ok' | 'failing';
  /** Messages that wait. */
  readonly waiting: number;
  /** When the oldest of them happened, UTC; null if none waits. */
  readonly oldest_at: string | null;
  /** Messages that the receiver refused for good. */
  readonly set_aside: number;
  /** Attempts that failed since the last delivery. */
  readonly failures: number;
  /** Why the last attempt failed; null after a delivery. */
  readonly last_error: string | null;
}

/**
 * Delivers the messages of one channel in order, each at least once: the next ones are sent when the receiver has taken those
 * before. It retries without end, with growing waits, and the other channels are not affected. Only a message that the receiver
 * refuses as such, again and again for a day, is set aside, so that it does not block those behind it. One that an operator sends
 * again is set aside at the next such refusal.
 */
export class ChannelPump {
  private failures = 0;
  private lastError: string | null = null;
  private isRefused = false;
  /** The message that was refused alone, and how often in this run. */
  private refused = { number: -1, times: 0 };
  /** Taken by the receiver, and not yet removed from the disk. */
  private taken: QueueKey[] = [];
  private running: Promise<void> | null = null;
  private isStopped = false;
  private abort = new AbortController();
  private pause: Timer | null = null;
  private resume: (() => void) | null = null;

  constructor(
    readonly channel: Channel,
    private readonly store: NotifierStore,
    private readonly clock: Clock,
    private readonly log: PumpLog,
    private readonly counts: DeliveryCounts,
  ) {}

  /** Delivers what waits; harmless while it does so already. */
  wake(): void {
    if (this.isStopped) return;
    this.running ??= this.run()
      .catch((error: unknown) => this.noteFailure(failureReason(error)))
      .finally(() => (this.running = null));
  }

  /** Ends an attempt that is under way: its messages stay in the queue. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.abort.abort();
    this.pause?.cancel();
    this.resume?.();
    await this.running;
    await this.removeTaken().catch(() => undefined);
  }

  report(): ChannelReport {
    const { name, type } = this.channel;
    return {
      name,
      type,
      state: this.failures === 0 ? ('ok' as const) : ('failing' as const),
      waiting: this.store.waiting(name) - this.taken.length,
      set_aside: this.store.asideOf(name).length,
      oldest_at: this.next(1)[0]?.message.at ?? null,
      failures: this.failures,
      last_error: this.lastError,
    };
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      if (!(await this.removed())) continue;
      const waiting = this.next(readAtOnce);
      if (waiting.length === 0) return;
      await this.attempt(this.batchOf(waiting));
    }
  }

  private async attempt(batch: readonly Queued[]): Promise<void> {
    const delivery = await this.deliver(batch);
    if (this.isStopped && delivery.kind === 'failed') return;
    if (delivery.kind === 'taken') {
      this.taken = batch.map(({ key }) => key);
      this.counts.delivered(this.channel.name, batch.length);
      this.recovered();
    } else {
      this.failed(delivery);
      const [first] = batch;
      if (first && batch.length === 1 && this.isRefused && (await this.isSetAside(first, delivery.reason))) return;
      await this.wait(Math.max(backoffMs(this.failures - 1, waits), delivery.retryAfterMs ?? 0));
    }
  }

  /** Sets a message aside if it has been refused for too long, or was sent again. @throws Error if the disk fails; it is then tried again */
  private async isSetAside(queued: Queued, reason: string): Promise<boolean> {
    const { key, message, isRetried } = queued;
    const [channel, number] = key;
    this.refused = { number, times: this.refused.number === number ? this.refused.times + 1 : 1 };
    const nowMs = this.clock.nowMs();
    const isRefusedForLong = this.refused.times >= mostRefusals && nowMs - Date.parse(message.at) >= refusedForMs;
    if (!isRetried && !isRefusedForLong) return false;
    await this.store.setAside(queued, reason, new Date(nowMs).toISOString());
    const facts = { channel, reason, id: message.id, text: message.text };
    this.log.warn(
      facts,
      isRetried
        ? 'a notification that was sent again was refused and was set aside again'
        : 'a notification was refused for a day and was set aside',
    );
    return true;
  }

  /** Removes what was taken from the disk. A failed write is tried again before anything else is delivered. */
  private async removed(): Promise<boolean> {
    if (this.taken.length === 0) return true;
    try {
      await this.removeTaken();
      return true;
    } catch {
      await this.wait(waits.firstMs);
      if (!this.isStopped) await this.store.probe();
      return false;
    }
  }

  private async removeTaken(): Promise<void> {
    if (this.taken.length === 0) return;
    await this.store.remove(this.taken);
    this.taken = [];
  }

  private next(limit: number): Queued[] {
    return this.store.head(this.channel.name, limit, this.taken.at(-1)?.[1]);
  }

  /** After a refusal one message at a time, so that one that the receiver never takes is found. */
  private batchOf(waiting: readonly Queued[]): readonly Queued[] {
    const count = this.isRefused ? 1 : this.channel.fitting(waiting.map(({ message }) => message));
    return waiting.slice(0, count);
  }

  private async deliver(batch: readonly Queued[]): Promise<Delivery> {
    const controller = (this.abort = new AbortController());
    const deadline = this.clock.setTimer(attemptTimeoutMs, () => controller.abort());
    try {
      const messages = batch.map(({ message }) => message);
      return await Promise.race([this.channel.deliver(messages, controller.signal), ended(controller.signal)]);
    } catch (error) {
      return { kind: 'failed', reason: failureReason(error) };
    } finally {
      deadline.cancel();
    }
  }

  private failed({ reason, isRefused = false }: Extract<Delivery, { kind: 'failed' }>): void {
    this.isRefused = isRefused;
    this.noteFailure(reason);
  }

  private noteFailure(reason: string): void {
    this.failures += 1;
    this.counts.failed(this.channel.name);
    if (reason !== this.lastError) {
      this.log.warn({ channel: this.channel.name, reason }, 'a notification could not be delivered');
    }
    this.lastError = reason;
  }

  private recovered(): void {
    if (this.failures > 0) this.log.log({ channel: this.channel.name }, 'notifications are delivered again');
    this.failures = 0;
    this.lastError = null;
    this.isRefused = false;
  }

  private async wait(ms: number): Promise<void> {
    if (this.isStopped) return;
    await new Promise<void>((resolve) => {
      this.resume = resolve;
      this.pause = this.clock.setTimer(ms, resolve);
    });
  }
}

/** A failure once the signal ends the attempt, although the channel may not end. */
function ended(signal: AbortSignal): Promise<Delivery> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ kind: 'failed', reason: 'no answer in time' });
    signal.addEventListener('abort', end, { once: true });
  });
}
