import { currencyDigits, moneyText } from '@libs/gateway-client/figure-text';
import { weekdays, type TradeAction, type WithoutPerson } from './policy-file';

/** What the policy is asked about: a request, and what is around it at that moment. */
export interface RequestFacts {
  readonly action: TradeAction;
  readonly symbol: string;
  /** Lots. */
  readonly lots: number;
  /** Most that it loses at its stop loss, in the deposit currency; null: it has no stop loss, so there is no bound. */
  readonly atRisk: number | null;
  /** The deposit currency as the broker writes it. Reasons leave it out: a broker's text must not reach them. */
  readonly currency: string;
  /** Of the order, or of the position or order that it touches. */
  readonly magic: number;
  /** As `trade_mode` of the account; 0 is a demo account. */
  readonly tradeMode: number;
  /** Lots of the positions and pending orders of the policy's magic number, without the request. */
  readonly openLots: number;
  /** Lots of the orders that were sent and whose outcome is not known; they may be among the open ones already. */
  readonly unsettledLots: number;
  /** Whether it would become one position with an open one or with another order of the symbol, on a netting account. */
  readonly isJoining: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** How long ago requests were sent without a person, in milliseconds, by a clock that nobody can set. */
  readonly sentAgoMs: readonly number[];
}

const hourMs = 3_600_000;
/** Sums of lots are no exact numbers. */
const tolerance = 1e-9;

/** Why a request needs a person; empty if the policy allows it without one. */
export function outsideOf(policy: WithoutPerson | undefined, magic: number, facts: RequestFacts): readonly string[] {
  if (policy === undefined) return ['the policy allows no request without a person'];
  const { action, symbol, lots, unsettledLots } = facts;
  const isOpening = action === 'open';
  const openLots = Number((facts.openLots + unsettledLots + lots).toFixed(8));
  const unsettled = unsettledLots > 0 ? `, with the ${unsettledLots} of handles whose outcome is not known` : '';
  return [
    ...problem(policy.paper_only && facts.tradeMode !== 0, 'it is no demo account, and the policy is paper only'),
    ...problem(!policy.actions.includes(action), `the policy does not allow to ${action}`),
    ...problem(!policy.symbols.includes(symbol), 'the symbol is not in the policy'),
    ...problem(facts.magic !== magic, 'the position or order was not opened through this server'),
    ...problem(!(lots <= policy.max_lots), `${lots} lots are more than max_lots ${policy.max_lots}`),
    ...problem(
      isOpening && !(openLots <= policy.max_open_lots + tolerance),
      `${openLots} open lots${unsettled} would be more than max_open_lots ${policy.max_open_lots}`,
    ),
    ...problem(
      facts.isJoining,
      'on a netting account, it would be one position with what is open or pending for the symbol',
    ),
    ...riskProblem(facts, policy.max_loss),
    ...problem(sentWithin(facts, hourMs) >= policy.max_requests_per_hour, 'max_requests_per_hour is reached'),
    ...problem(sentWithin(facts, 24 * hourMs) >= policy.max_requests_per_day, 'max_requests_per_day is reached'),
    ...problem(!isWithinHours(policy, facts.nowMs), 'it is outside of the hours of the policy'),
  ];
}

function riskProblem({ action, atRisk, currency }: RequestFacts, most: number): string[] {
  if (action === 'cancel') return [];
  if (atRisk === null) return ['its loss has no bound: it has no stop loss'];
  return problem(
    !(atRisk <= most),
    `${moneyText(atRisk, currencyDigits(currency))} at risk are more than max_loss ${most}`,
  );
}

function problem(isOne: boolean, text: string): string[] {
  return isOne ? [text] : [];
}

function sentWithin({ sentAgoMs }: RequestFacts, spanMs: number): number {
  return sentAgoMs.filter((agoMs) => agoMs < spanMs).length;
}

/** Hours over midnight are of the day on which they begin. */
function isWithinHours({ hours }: WithoutPerson, nowMs: number): boolean {
  if (hours === undefined) return true;
  const { days, from, to } = hours;
  const time = new Date(nowMs).toISOString().slice(11, 16);
  const isOn = (ms: number): boolean => days.includes(weekdays[new Date(ms).getUTCDay()] ?? '');
  if (from < to) return isOn(nowMs) && time >= from && time < to;
  return (isOn(nowMs) && time >= from) || (isOn(nowMs - 24 * hourMs) && time < to);
}
