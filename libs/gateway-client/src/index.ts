export type * from './answers';
export type * from './calculator-records';
export { machineEdge, type ClientEdge, type ClientTimer } from './client-edge';
export { countText, currencyDigits, lotsText, moneyText, priceText, shownDigits, volumeText } from './figure-text';
export type * from './fence-records';
export { GatewayClient, type GatewayClientOptions } from './gateway-client';
export { GatewayControl } from './gateway-control';
export { GatewayFences, type RaiseOutcome } from './gateway-fences';
export { GatewayReads } from './gateway-reads';
export type * from './health-records';
export type * from './signal-records';
export type * from './history-records';
export {
  tradeOutcome,
  type RefusedOutcome,
  type TerminalError,
  type TradeOutcome,
  type UnknownOutcome,
} from './outcomes';
export { GatewayReadError, type ReadFailure } from './read-error';
export type * from './read-filters';
export type * from './reconciliation-records';
export type * from './records';
export type * from './requests';
export type * from './stream-records';
export { GatewayStreams, type FollowOptions } from './streams';
export type * from './symbol-records';
export { connectionText, differenceText, signalEventText, tradeEventText, type EventDigits } from './trade-event-text';
export { tradeCalls, type CancelCall, type ModifyOrderCall, type PostCall, type TradeCall } from './trade-calls';
