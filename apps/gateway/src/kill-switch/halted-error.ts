import { ApiError } from '@libs/envelope';

export const haltedText =
  'the kill switch is active: trading is halted; POST /kill/release, or `gateway release`, ends the halt';

/** 423 for a request that would trade while trading is halted; nothing was sent. */
export function haltedError(): ApiError {
  return new ApiError('kill_switch_active', haltedText);
}
