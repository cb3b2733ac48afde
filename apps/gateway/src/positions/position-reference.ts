import { ApiError, validationError } from '@libs/envelope';
import { ticketForm } from '../http/path-ticket';
import { namesAnother } from '../http/query-reader';

/** A position as a client names it. */
export interface PositionReference {
  readonly ticket: number;
  /** Lots; null: all of it. */
  readonly volume: number | null;
  /** The field that the volume comes from, for errors. */
  readonly volumeField: string;
}

const wholePosition = { volume: null, volumeField: 'volume' } as const;

/**
 * Reads `position`: a ticket, `{ticket, volume}`, or a whole row of GET /get_positions. The volume of a row is what
 * was open when the row was read, so it does not limit the close; the volume of `{ticket, volume}` was chosen, so it
 * does.
 * @throws ApiError validation_error naming the field
 */
function positionReference(given: unknown): PositionReference {
  if (typeof given === 'number') return { ticket: ticketOf(given, 'position'), ...wholePosition };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refused('position', 'must be a ticket, or an object with a ticket');
  }
  const { ticket, volume, ...others } = given as Readonly<Record<string, unknown>>;
  const reference = {
    ticket: ticketOf(ticket, 'position.ticket'),
    volume: volumeOf(volume),
    volumeField: 'position.volume',
  };
  return Object.keys(others).length > 0 ? { ...reference, ...wholePosition } : reference;
}

/** A request that names a position under one of its two names, or under both alike. */
export interface NamesPosition {
  readonly position?: unknown;
  readonly ticket?: number | undefined;
}

/** Reads `position`, or `ticket` in its place. @throws ApiError validation_error naming the field */
export function namedPosition({ position, ticket }: NamesPosition): PositionReference {
  if (position === undefined) return { ticket: ticketOf(ticket, 'ticket'), ...wholePosition };
  const reference = positionReference(position);
  if (ticket === undefined || ticket === reference.ticket) return reference;
  throw refused('ticket', namesAnother(ticket, reference.ticket));
}

function ticketOf(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw refused(field, ticketForm);
  }
  return value;
}

function volumeOf(value: unknown): number | null {
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refused('position.volume', 'must be a positive number');
  }
  return value;
}

function refused(field: string, problem: string): ApiError {
  return validationError({ field, problem });
}
