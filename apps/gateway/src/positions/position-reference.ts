import { ApiError, validationError } from '@libs/envelope';

/** A position as a client names it. */
export interface PositionReference {
  readonly ticket: number;
  /** Lots; null: all of it. */
  readonly volume: number | null;
}

/**
 * Reads `position`: a ticket, or an object with `ticket` and perhaps `volume`. Whatever else is in the object is
 * ignored, because clients send back the row they were given.
 * @throws ApiError validation_error naming the field
 */
export function positionReference(given: unknown): PositionReference {
  if (typeof given === 'number') return { ticket: ticketOf(given, 'position'), volume: null };
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refused('position', 'must be a ticket, or an object with a ticket');
  }
  const { ticket, volume } = given as Readonly<Record<string, unknown>>;
  return { ticket: ticketOf(ticket, 'position.ticket'), volume: volumeOf(volume) };
}

function ticketOf(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value <= 0) {
    throw refused(field, 'must be a positive integer');
  }
  return value;
}

function volumeOf(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw refused('position.volume', 'must be a positive number');
  }
  return value;
}

function refused(field: string, problem: string): ApiError {
  return validationError({ field, problem });
}
