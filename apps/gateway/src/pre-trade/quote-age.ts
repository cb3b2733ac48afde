import { ApiError } from '@libs/envelope';

/** Whether entries may rely on a quote of this age; null if it is not known. @param limitSeconds undefined if there is no limit */
export function isQuoteYoung(ageSeconds: number | null, limitSeconds: number | undefined): boolean {
  return limitSeconds === undefined || (ageSeconds !== null && ageSeconds <= limitSeconds);
}

/**
 * Refuses an entry on a quote that is too old, or whose age is not known.
 * @param limitSeconds MAX_QUOTE_AGE_SECONDS; undefined if it is not set
 * @throws ApiError quote_too_old; nothing was sent
 */
export function refuseOldQuote(symbol: string, ageSeconds: number | null, limitSeconds: number | undefined): void {
  if (isQuoteYoung(ageSeconds, limitSeconds)) return;
  const problem =
    ageSeconds === null
      ? `the age of the quote of ${symbol} is not known: the gateway has not seen it change yet`
      : `the quote of ${symbol} may be ${ageSeconds} s old`;
  const details = { setting: 'MAX_QUOTE_AGE_SECONDS', limit: limitSeconds, value: ageSeconds, symbol };
  const message = `${problem}; MAX_QUOTE_AGE_SECONDS is ${limitSeconds}`;
  throw new ApiError('quote_too_old', message, { details, headers: { 'retry-after': '1' } });
}
