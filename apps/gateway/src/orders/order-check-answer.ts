import { single } from '@libs/envelope';
import { retcodeName, type OrderCheckResult } from '@libs/terminal-client';
import type { OrderCheckResponse } from './calculator.response';

/** The 200 of a check. A refusal by the terminal is `valid: false`: the question was answered. */
export function orderCheckAnswer(check: OrderCheckResult): OrderCheckResponse {
  const { retcode, comment, balance, equity, profit, margin, margin_free, margin_level } = check;
  return single({
    valid: retcode === 0,
    retcode,
    retcode_name: retcode === 0 ? 'DONE' : retcodeName(retcode),
    comment,
    balance,
    equity,
    profit,
    margin,
    margin_free,
    margin_level,
  });
}
