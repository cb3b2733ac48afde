import { ApiError } from '@libs/envelope';
import { OrderRefusal } from '@libs/order-drafts';

/**
 * Unwraps the result of a check or draft.
 * @throws ApiError of the refusal, if it gave one: 400 for a rule of the market, 422 for a limit of the operator
 */
export function unlessRefused<Given>(given: Given | OrderRefusal): Given {
  if (given instanceof OrderRefusal) throw refusalError(given);
  return given;
}

/** The error for an order that is denied before it is sent. */
export function refusalError({ errorType, message, details, retryAfterSeconds }: OrderRefusal): ApiError {
  const headers = retryAfterSeconds === null ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } };
  return new ApiError(errorType, message, { details, ...headers });
}
