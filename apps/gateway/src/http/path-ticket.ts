import { validationError } from '@libs/envelope';

/** The ticket in the path of a route. @throws ApiError validation_error if it is none */
export function pathTicket(text: string): number {
  const ticket = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(ticket) || ticket === 0) {
    throw validationError({ field: 'ticket', problem: 'must be a positive integer' });
  }
  return ticket;
}
