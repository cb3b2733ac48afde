export { areSumsOdd, contradictingSums, lackingMargin } from './account-sums';
export { balanceChange, netVolume, signedLots, signedVolume, sumUpTo } from './deal-sums';
export type { AccountLook, ExplainedAccount, ExplainedPosition, LookScope, Spoils, Unexplained } from './evidence';
export {
  correctedDeals,
  dealsGap,
  explain,
  historyLack,
  isKnownOrder,
  isBehindDeals,
  isEnd,
  isFillShown,
  isGrowthProven,
  isOfUnseenPosition,
  isReduced,
  isReductionExplained,
  lostOrder,
  lostPosition,
  nothingUnderWay,
  ticketsIn,
  unexplainedMoney,
  unshownOrder,
  withoutPositions,
  wrongProfitOf,
  type UnderWay,
} from './explain';
export { loadedRows, notLoaded, type ListRows } from './loaded-rows';
export { isProfitOff, profitLooksWanted, type ProfitLook } from './floating-profit';
