import { validationError } from '@libs/envelope';

/** What a ticket is: larger ones are not exact in JSON. */
export const ticketForm = `must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`;

/** The ticket in the path of a route. @throws ApiError validation_error if it is none */
export function pathTicket(text: string): number {
  const ticket = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(ticket) || ticket === 0) {
    throw validationError({ field: 'ticket', problem: ticketForm });
  }
  return ticket;
}
