import { DealEntry, PositionType } from '@libs/terminal-client';
import type { Ask, HttpAnswer } from '../asks';
import { saidComplete } from '../invariants/complete-exits';
import {
  closedUnmeant,
  isMeant,
  toldTickets,
  toldWrongly,
  type BooksOfTickets,
  type CloseFilter,
  type HeldPosition,
} from '../invariants/flattened';
import { lagMs, type HeldRow } from '../invariants/whole-lists';
import type { SendRecord } from '../sends';
import type { JudgeWorld, Report } from './world';

/** What the broker has at an answer. @param askedAtMs when the request reached the gateway */
export type Held = (list: 'positions' | 'orders', askedAtMs: number) => HeldRow[];

/** What closes many positions at once, held against the broker's books. */
export class Flattenings {
  constructor(
    private readonly world: JudgeWorld,
    private readonly held: Held,
    private readonly report: Report,
  ) {}

  /** @param asked who asked for the send */
  sending(send: SendRecord, asked: readonly Ask[]): void {
    const [ask] = asked;
    if (ask?.kind !== 'close_all' || asked.length > 1) return;
    const held = this.positionOf(send.request.position, this.world.broker.magicsOf(send.request));
    this.report('a request to close positions closes those that it means', closedUnmeant(send, filterOf(ask), held));
  }

  /** @param askedAtMs when the request reached the gateway */
  toldOperator(answer: HttpAnswer, askedAtMs: number): void {
    const open = [...this.held('positions', askedAtMs), ...this.held('orders', askedAtMs)];
    this.report('complete is not said while something is open', saidComplete(answer, open));
    const { book, sends } = this.world;
    const possible = sends.filter(({ atMs }) => atMs >= askedAtMs);
    const certain = possible.filter((send) => book.askedFor(send).length === 0);
    this.toldTickets(answer, { certain, possible });
  }

  /** @param askedAtMs when the request reached the gateway whose positions the answer is about */
  toldClient(ask: Ask, answer: HttpAnswer, askedAtMs: number): void {
    const { book, sends } = this.world;
    const held = this.held('positions', askedAtMs).filter(({ ticket }) => this.isCertainlyMeant(ask, ticket));
    this.report('complete is not said while something is open', saidComplete(answer, held));
    const ofAsk = sends.filter((send) => book.askedFor(send).includes(ask) && !send.isForgotten);
    this.toldTickets(answer, { certain: ofAsk, possible: ofAsk });
  }

  private toldTickets(answer: HttpAnswer, sends: Parameters<typeof toldWrongly>[2]): void {
    const told = toldTickets(answer);
    if (told === null) return;
    this.report('an answer names each ticket as it is', toldWrongly(told, this.books, sends, this.isNetting));
  }

  /** While lists may be late, the gateway may have read another magic number or side than the broker has now. */
  private isCertainlyMeant(ask: Ask, ticket: number): boolean {
    const filter = filterOf(ask);
    const row = this.world.broker.book.positions.get(ticket);
    const position = this.positionOf(ticket, row ? [row.magic] : []);
    const isSure = !this.isNetting && this.world.listsLateMs() < lagMs;
    if (!isSure && (filter.magic !== undefined || filter.order_type !== undefined)) return false;
    return position !== null && isMeant(filter, position);
  }

  private positionOf(ticket: number, magics: readonly number[]): HeldPosition | null {
    const row = this.world.broker.book.positions.get(ticket);
    return row ? { symbol: row.symbol, isLong: row.type === PositionType.BUY, magics } : null;
  }

  private get isNetting(): boolean {
    return this.world.broker.isNetting;
  }

  private get books(): BooksOfTickets {
    const { positions, orders, deals } = this.world.broker.book;
    return {
      isPositionOpen: (ticket) => positions.has(ticket),
      isOrderActive: (ticket) => orders.has(ticket),
      reducedBy: (ticket) => {
        if (this.isNetting) return null;
        const reducing = deals.find({ position: ticket }).filter(({ entry }) => entry !== DealEntry.IN);
        return reducing.reduce((sum, { volume }) => sum + volume, 0);
      },
    };
  }
}

function filterOf({ variants: [first] }: Ask): CloseFilter {
  return { ...first?.request.body };
}
