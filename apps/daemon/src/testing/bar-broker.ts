import { VirtualClock } from '@libs/clock';
import type { BarRecord } from '@libs/gateway-client';
import { BarFeed, type BarListener } from '../market-data/bar-feed';
import { Slots } from '../slots';

/** When the first bar opens. */
export const startMs = Date.UTC(2024, 0, 1);

/** A broker whose bars the test closes, one by one. The last one is always forming. */
export class BarBroker {
  private readonly minutes: number[] = [];
  failing = false;
  /** Most bars that a read returns. */
  depth = Number.MAX_SAFE_INTEGER;
  /** The high of every bar; null: its minute. */
  highest: number | null = null;
  /** Offset of its clock; null while it is unknown. */
  offsetMs: number | null = 0;
  /** Each answer waits for it. */
  onRead: (count: number) => Promise<void> = () => Promise.resolve();

  roll(minute: number): void {
    this.minutes.push(minute);
  }

  readonly failures: unknown[] = [];
  refresh = async (): Promise<void> => undefined;

  failed(error: unknown): void {
    this.failures.push(error);
  }

  read = async (count: number): Promise<BarRecord[]> => {
    if (this.failing) throw new Error('away');
    const minutes = this.minutes.slice(-Math.min(count, this.depth));
    await this.onRead(count);
    return minutes.map((minute) => ({
      time: this.label(startMs + minute * 60_000),
      time_server: startMs / 1_000 + minute * 60,
      open: minute,
      high: this.highest ?? minute,
      low: minute,
      close: minute,
      tick_volume: 1,
      spread: 1,
      real_volume: 0,
    }));
  };

  private label(serverMs: number): string {
    const { offsetMs } = this;
    return offsetMs === null
      ? new Date(serverMs).toISOString().slice(0, 19)
      : new Date(serverMs - offsetMs).toISOString();
  }
}

/** A feed of its minutes, with a listener that notes their closes. */
export function feedOf(broker: BarBroker, clock = new VirtualClock(), reading = new Slots(2)) {
  const heard: number[] = [];
  const feed = new BarFeed(broker, { barMs: 60_000, clock, reading }, () => 0);
  const listener: BarListener = (bars) => heard.push(...bars.map(({ close }) => close));
  return { clock, heard, failures: broker.failures, feed, listener };
}
