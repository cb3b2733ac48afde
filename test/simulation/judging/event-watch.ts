import type { TradeEvent } from '../../../apps/gateway/src/streams/trade-event';
import type { HttpAnswer } from '../asks';
import { DealType } from '@libs/terminal-client';
import {
  addedDeals,
  addedTwice,
  neverAdded,
  numbersWentBack,
  renumbered,
  untrueEvents,
  wrongNumbers,
} from '../invariants/events';
import type { JudgeWorld, Report } from './world';

/** A read of events that the client has read before, and of what follows them. */
export const eventsAgain = '/events again';
const readAgain = 20;

/** What a client that reads the event log goes on from. */
export class EventWatch {
  /** Number of the newest event that was read; null before the first read. */
  private seen: number | null = null;
  /** What was read under each number. */
  private readonly told = new Map<number, string>();
  /** The number of the event of each deal, by its ticket. */
  private readonly added = new Map<number, number>();

  constructor(
    private readonly world: Pick<JudgeWorld, 'broker'>,
    private readonly report: Report,
  ) {}

  /** A read of events goes on after those that were read, or reads some of them again. */
  urlOf(url: string): string {
    if (url !== '/events' && url !== eventsAgain) return url;
    const [oldest] = this.told.keys();
    if (url === '/events' || oldest === undefined) return this.seen === null ? '/events' : `/events?since=${this.seen}`;
    return `/events?since=${Math.max(oldest - 1, (this.seen ?? 0) - readAgain)}`;
  }

  /** Everything has settled, and all events were read. */
  end(): void {
    const { deals } = this.world.broker.book;
    const trades = deals
      .find({ from: 0, to: Number.MAX_SAFE_INTEGER })
      .filter(({ type }) => type === DealType.BUY || type === DealType.SELL);
    this.report(
      'every deal has an event',
      neverAdded(
        trades.map(({ ticket }) => ticket),
        this.added,
      ),
    );
  }

  /** @param url as it was read */
  answered(url: string, { status, body }: HttpAnswer): void {
    if (status !== 200) return;
    const since = /since=(\d+)/.exec(url)?.[1];
    const { data, last_seq } = body as { readonly data: readonly TradeEvent[]; readonly last_seq: number };
    const { book } = this.world.broker;
    this.report('events are numbered without a gap', [
      ...(since === undefined
        ? []
        : [...numbersWentBack(last_seq, Number(since)), ...wrongNumbers(data, Number(since))]),
    ]);
    this.report('a number names one event', renumbered(data, this.told));
    this.report('a deal has one event', addedTwice(data, this.added));
    for (const event of data) this.told.set(event.seq, JSON.stringify(event));
    for (const [ticket, seq] of addedDeals(data)) this.added.set(ticket, seq);
    this.report(
      'no event is untrue',
      untrueEvents(data, {
        dealOf: (ticket, order) => book.deals.find({ ticket: order }).find((deal) => deal.ticket === ticket),
        endOf: (ticket) => book.historyOrders.find({ ticket })[0],
        isPositionOpen: (ticket) => book.positions.has(ticket),
        isOrderActive: (ticket) => book.orders.has(ticket),
      }),
    );
    const newest = data.at(-1)?.seq ?? (since === undefined ? last_seq : Number(since));
    this.seen = Math.max(this.seen ?? 0, newest);
  }
}
