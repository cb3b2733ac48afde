import { hash32 } from '../market/generated/random';

/** Tickets as a server with other clients gives them: rising, with small gaps, the same in every run of a seed. */
export class TicketSequence {
  constructor(
    private readonly seed: number,
    private ticket: number,
  ) {}

  next(): number {
    this.ticket += 1 + (hash32(this.seed, 6, this.ticket) % 7);
    return this.ticket;
  }

  /** One that goes on from here by itself. */
  copy(): TicketSequence {
    return new TicketSequence(this.seed, this.ticket);
  }

  /** The last ticket given. */
  get last(): number {
    return this.ticket;
  }

  /** Goes on behind a ticket given in an earlier run. */
  resumeAfter(ticket: number): void {
    this.ticket = Math.max(this.ticket, ticket);
  }
}
