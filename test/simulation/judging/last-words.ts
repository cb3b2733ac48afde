import { verdictOf, type Ask, type HttpAnswer, type HttpRequest } from '../asks';
import { succeededForOtherAccount } from '../invariants/account';
import {
  acknowledgedButMissing,
  acknowledgedForOthers,
  acknowledgedToTwo,
  namedOrder,
  type OrderAtBroker,
} from '../invariants/acknowledged-exists';
import { hasBody, replacedUnmarked, succeededByOther, succeededForOther } from '../invariants/one-body-per-key';
import { acceptedThoughFilled } from '../invariants/only-accepted';
import { doneThoughRefused, isTooLate } from '../invariants/refused-not-done';
import type { SendRecord } from '../sends';
import { FillLookUps } from './fill-look-ups';
import type { LostMemory } from './lost-memory';
import type { JudgeWorld, Report } from './world';

/** What the gateway has answered to each request, held against what was sent. */
export class LastWords {
  readonly lookUps = new FillLookUps();

  /** @param isOfOperator a send that an operator's flattening may have made: it looks like one of a client */
  constructor(
    private readonly world: JudgeWorld,
    private readonly lost: LostMemory,
    private readonly isOfOperator: (send: SendRecord) => boolean,
    private readonly report: Report,
  ) {}

  /** A request reaches the gateway. */
  delivered(ask: Ask): void {
    ask.beingHandled += 1;
    if (ask.lastWord === 'refused') ask.lastWord = 'open';
  }

  /** @param answer null when the gateway ended before it answered */
  answered(ask: Ask, request: HttpRequest, answer: HttpAnswer | null): void {
    ask.beingHandled -= 1;
    if (answer === null) return;
    if (answer.body['remembered'] === false) this.lost.maybeUnwritten(ask);
    this.report('what is meant for another account is refused', succeededForOtherAccount(ask, answer.status));
    this.report(
      'a close counts as accepted only while no fill was seen',
      acceptedThoughFilled(ask, answer, (order) => this.lookUps.of(order)),
    );
    switch (verdictOf(answer)) {
      case 'done':
        return this.acknowledged(ask, request, answer);
      case 'refused':
        return this.refused(ask, `refused with ${answer.status}`, false);
      case 'void':
        return this.refused(ask, 'void', true);
      case 'conflict':
        return this.conflicted(ask, request);
      case 'undecidable':
        if (ask.lastWord === 'open') ask.lastWord = 'undecidable';
        return;
      case 'open':
        return;
    }
  }

  /** The gateway has answered what became of a key. */
  lookedUp(ask: Ask, { body }: HttpAnswer): void {
    const status = body['status'];
    if (status === 'void') this.refused(ask, 'void', true);
    else if (status === 'absent') this.refused(ask, 'absent', false);
  }

  private acknowledged(ask: Ask, request: HttpRequest, answer: HttpAnswer): void {
    const orderAt: OrderAtBroker = (ticket) => this.world.broker.orderAt(ticket);
    const variant = ask.variants.find((one) => one.request === request);
    const marker = variant?.marker ?? null;
    const sent = marker === null ? [] : this.sentFor(ask, marker);
    this.report('what was acknowledged exists', [
      ...acknowledgedButMissing(ask, answer, orderAt),
      ...acknowledgedForOthers(ask, answer, marker, orderAt),
      ...acknowledgedToTwo(ask, answer, this.world.book.asks.values(), (ticket) => this.lost.hasForgotten(ticket)),
    ]);
    this.report('a key speaks for one body', [
      ...succeededForOther(ask, request),
      ...(variant ? succeededByOther(ask, variant, sent) : []),
    ]);
    this.report('an answer that replaces another one says so', replacedUnmarked(ask, answer));
    ask.success ??= { request, body: answer.body };
    ask.lastWord = 'done';
    ask.doneMarker ??= marker;
    const order = namedOrder(ask, answer);
    // The order of a forgotten exit does not prove that this request made it.
    if (order !== null && !this.lost.hasForgotten(order)) ask.order ??= order;
  }

  /** What was done for a request, as far as it belongs to no other one. */
  private sentFor(ask: Ask, marker: string): SendRecord[] {
    const { book, sends } = this.world;
    const isOnly = book.withMarker(marker).every((other) => other === ask);
    return isOnly ? sends.filter((send) => send.marker === marker && send.fate === 'done' && !send.isForgotten) : [];
  }

  private refused(ask: Ask, words: string, isFinal: boolean): void {
    // Another copy of the request may be about to be sent: its own answer counts.
    if (ask.beingHandled > 0 && !isFinal) return;
    const { book, broker, sends } = this.world;
    const isActive = (ticket: number): boolean => broker.book.orders.has(ticket);
    // What the gateway has forgotten, it does not deny; a void speaks for that as well, unless no disk ever had it.
    const isUnknown = (send: SendRecord): boolean => (isFinal ? this.lost.wasNeverWritten(send) : send.isForgotten);
    const ofAsk = sends.filter(
      (send) =>
        book.askedFor(send).includes(ask) && !this.isOfOperator(send) && !isUnknown(send) && !isTooLate(send, isActive),
    );
    this.report(
      'what was refused was not done',
      doneThoughRefused(ask, words, ofAsk, (marker) => book.withMarker(marker)),
    );
    if (isFinal) ask.lastWord = 'void';
    else if (ask.lastWord === 'open') ask.lastWord = 'refused';
  }

  private conflicted(ask: Ask, request: HttpRequest): void {
    const { book, sends } = this.world;
    const variant = ask.variants.find((candidate) => candidate.request === request);
    // What the gateway has forgotten may have left its key to other parameters.
    const alike = sends.filter(
      (send) => send.marker === variant?.marker && !send.isForgotten && hasBody(send, ask, request),
    );
    this.report(
      'what was refused was not done',
      doneThoughRefused(ask, 'in conflict', alike, (marker) => book.withMarker(marker)),
    );
  }
}
