export { wasAlreadySo } from './already-so';
export { brokerRejection } from './broker-rejection';
export { cancelDraft } from './cancel-draft';
export {
  closeByDraft,
  closeDrafts,
  closingFilling,
  notStatedPosition,
  volumeToClose,
  type CloseTerms,
  type CloseVolume,
  type StatedPosition,
} from './close-draft';
export { defaultDeviation, deviationLimit } from './deviation-limit';
export type { EntryLimits, Exposure, ProposedEntry } from './entry';
export { addVolume, dayReadUntilS, dayStartS, lossOfDay, openVolumes, resultsOfDay } from './exposure';
export { expirationsEndMs } from './expiration-allowed';
export { fillingNames, tryFillings, tryFillingsNow } from './fillings';
export { levelNotPositive, levelsDraft, type LevelChange } from './level-change';
export { isMarketOrder, isStopLimitOrder, marketPrice } from './market-price';
export { noOpenPosition, noOpenPositionOf, noPendingOrder } from './not-found';
export { totalVolume } from './entry-limits';
export { changeDraft, changeRefusal, type ChangedOrder, type OrderChange } from './order-change';
export { onGrids, orderDrafts, terminalComment, type OrderMarks } from './order-draft';
export * from './limits';
export { boundsVolume } from './order-limits.config';
export { entryRefusal, orderOnMarket, orderWithinLimits } from './pre-trade-checks';
export type { Market, OrderLimits, ProposedOrder } from './proposed-order';
export type { OrderFields } from './proposed-order-of';
export { fieldsRefused, OrderRefusal, type RefusalType } from './refusal';
export { symbolAllowed } from './symbol-allowed';
export {
  accountObstacle,
  obstacleOf,
  obstacleRetcode,
  obstacleText,
  type RejectedRequest,
  type TradingObstacle,
} from './trading-obstacle';
