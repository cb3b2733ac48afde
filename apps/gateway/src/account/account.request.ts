import { ApiProperty } from '@nestjs/swagger';
import { QueryReader } from '../http/query-reader';
import { readInstant } from '../market-data/utc-span';
import { IsInstant } from '../server-time/utc-instant';

export class AcceptAccountRequest {
  @ApiProperty({
    type: String,
    example: '2026-01-05T10:00:00.000Z',
    description: '`account_evidence.since` of GET /health: the state that you have seen.',
    minLength: 1,
    maxLength: 40,
  })
  @IsInstant()
  since: string | number;
}

/** Maximum number of readings in one answer. */
export const largestEquityPage = 10_000;

/** Which readings of balance and equity. */
export interface EquityRequest {
  /** Readings after this time, UTC milliseconds; -1 for all. */
  readonly sinceMs: number;
  readonly limit: number;
  /** One reading of each span of so many milliseconds; 1 for all. */
  readonly everyMs: number;
}

/** @throws ApiError validation_error naming every problem */
export function equityRequest(raw: Readonly<Record<string, unknown>>): EquityRequest {
  const query = new QueryReader(raw);
  const sinceMs = readInstant(query, 'since') ?? -1;
  const limit = query.integer('limit', { min: 1, max: largestEquityPage }) ?? 1_000;
  const minutes = query.integer('every_minutes', { min: 1, max: 1_440 });
  query.finish();
  return { sinceMs, limit, everyMs: minutes === undefined ? 1 : minutes * 60_000 };
}
