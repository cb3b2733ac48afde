export { balanceChange, netVolume, signedLots, signedVolume } from './deal-sums';
export type { AccountLook, ExplainedAccount, ExplainedPosition, LookScope, Spoils, Unexplained } from './evidence';
export {
  explain,
  historyLack,
  isEnd,
  isGrowthProven,
  isOfUnseenPosition,
  isReduced,
  isReductionExplained,
  lostOrder,
  lostPosition,
  nothingUnderWay,
  ticketsIn,
  type UnderWay,
} from './explain';
