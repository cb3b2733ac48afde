import type { TradeEvent } from '../../../apps/gateway/src/streams/trade-event';
import type { HttpAnswer } from '../asks';
import { numbersWentBack, untrueEvents, wrongNumbers } from '../invariants/events';
import type { JudgeWorld, Report } from './world';

/** What a client that reads the event log goes on from. */
export class EventWatch {
  /** Number of the newest event that was read; null before the first read. */
  private seen: number | null = null;

  constructor(
    private readonly world: Pick<JudgeWorld, 'broker'>,
    private readonly report: Report,
  ) {}

  /** A read of events goes on after those that were read. */
  urlOf(url: string): string {
    return url === '/events' && this.seen !== null ? `${url}?since=${this.seen}` : url;
  }

  /** @param url as it was read */
  answered(url: string, { status, body }: HttpAnswer): void {
    if (status !== 200) return;
    const since = /since=(\d+)/.exec(url)?.[1];
    const { data, last_seq } = body as { readonly data: readonly TradeEvent[]; readonly last_seq: number };
    const { book } = this.world.broker;
    const hasDeal = (ticket: number, order: number): boolean =>
      book.deals.find({ ticket: order }).some((deal) => deal.ticket === ticket);
    this.report('events are numbered without a gap', [
      ...(since === undefined
        ? []
        : [...numbersWentBack(last_seq, Number(since)), ...wrongNumbers(data, Number(since))]),
    ]);
    this.report(
      'no event is untrue',
      untrueEvents(data, {
        hasDeal,
        isPositionOpen: (ticket) => book.positions.has(ticket),
        isOrderActive: (ticket) => book.orders.has(ticket),
      }),
    );
    const newest = data.at(-1)?.seq ?? (since === undefined ? last_seq : Number(since));
    this.seen = Math.max(this.seen ?? 0, newest);
  }
}
