import { LastErrorCode, moneyText, Retcode, retcodeName, type OrderCheckResult } from '@libs/terminal-client';
import { obstacleOf, obstacleText, type RejectedRequest } from './trading-obstacle';

/** Sums of the account as they would be after an order; 0 where the terminal does not state them. */
type CheckedSums = Pick<OrderCheckResult, 'margin' | 'equity'>;

/**
 * The message for an order that the broker or the terminal rejected: nothing was done.
 * @param check of the order, if the check rejected it
 * @param request that was rejected, as far as it is known
 */
export function brokerRejection(
  retcode: number | null,
  lastError: { readonly code: number; readonly message: string } | null,
  check: CheckedSums | null = null,
  request: RejectedRequest = {},
): string {
  const obstacle = obstacleOf(retcode, lastError, request);
  const { name: symbol } = request.info ?? {};
  if (retcode === null && obstacle !== null) return obstacleText(obstacle, symbol);
  const name = retcode === null ? (lastError?.message ?? 'refused') : retcodeName(retcode);
  const who = isOfTerminal(retcode, lastError) ? 'terminal' : 'broker';
  const sums = retcode === Retcode.NO_MONEY ? sumsText(check, request) : '';
  const advice = obstacle === null ? adviceOf(retcode, request) : obstacleText(obstacle, symbol);
  return `the ${who} rejected the request: ${name}${sums}${advice === null ? '' : `: ${advice}`}`;
}

/** Whether the terminal rejected it by itself. */
function isOfTerminal(retcode: number | null, lastError: { readonly code: number } | null): boolean {
  if (retcode !== null) return retcode === Retcode.CLIENT_DISABLES_AT;
  return lastError?.code === LastErrorCode.INVALID_PARAMS;
}

function sumsText(check: CheckedSums | null, { currencyDigits }: RejectedRequest): string {
  if (check === null || check.margin <= 0) return '';
  const [margin, equity] = [check.margin, check.equity].map((sum) => moneyText(sum, currencyDigits));
  return `: with it the margin would be ${margin}, of an equity of ${equity}`;
}

const priceMoved = 'the price moved; decide again at the price of now, or permit a larger deviation';

/** What a retcode means where its name does not say it; null for any other. */
function adviceOf(retcode: number | null, { info, fillings }: RejectedRequest): string | null {
  const symbol = info?.name ?? 'the symbol';
  switch (retcode) {
    case Retcode.REQUOTE:
    case Retcode.PRICE_CHANGED:
      return priceMoved;
    case Retcode.PRICE_OFF:
      return `there is no price of ${symbol} now`;
    case Retcode.TRADE_DISABLED:
      return 'trading is disabled: of the account (an investor password, or by the broker), or of the symbol';
    case Retcode.MARKET_CLOSED:
      return `the market of ${symbol} is closed; the terminal does not state when it opens, so try again when its quotes move`;
    case Retcode.TOO_MANY_REQUESTS:
      return 'the broker limits the rate of requests: wait, and send fewer';
    case Retcode.INVALID_FILL:
      return fillings === undefined || fillings.length === 0
        ? 'the broker does not accept this type_filling'
        : `type_filling must be one of ${fillings.join(', ')}; omit it to try each`;
    case Retcode.FROZEN:
      return 'the order or position is too close to the market to be changed';
    case Retcode.LIMIT_ORDERS:
      return "the account's number of pending orders is at the broker's limit";
    case Retcode.LIMIT_VOLUME:
      return `the volume of ${symbol} is at the broker's limit`;
    case Retcode.LIMIT_POSITIONS:
      return "the account's number of positions is at the broker's limit";
    case Retcode.ONLY_REAL:
      return 'the broker permits this on real accounts only';
    case Retcode.FIFO_CLOSE:
      return 'the broker closes positions of a symbol in the order of their opening: close the oldest one first';
    case Retcode.HEDGE_PROHIBITED:
      return 'the broker forbids opposite positions of a symbol';
    default:
      return null;
  }
}
