import { ApiError } from '@libs/envelope';
import { ServerTime } from '../server-time/server-time';
import { ServerTimeUnavailableError } from '../server-time/server-time-unavailable.error';

/**
 * A good-till-date expiry in server seconds; null stays null.
 * @throws ApiError server_time_unavailable without a usable offset
 */
export async function serverExpiration(
  serverTime: ServerTime,
  symbol: string,
  expirationMs: number | null,
): Promise<number | null> {
  if (expirationMs === null) return null;
  try {
    return await serverTime.requireForOrder(symbol, expirationMs);
  } catch (error) {
    if (!(error instanceof ServerTimeUnavailableError)) throw error;
    throw new ApiError('server_time_unavailable', `the expiration cannot be converted: ${error.message}`, {
      details: {
        reason: error.reason,
        ...(error.ageSeconds === undefined ? {} : { age_seconds: error.ageSeconds }),
      },
      cause: error,
    });
  }
}
