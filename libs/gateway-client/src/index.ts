export { GatewayClient, tradeCalls, type GatewayClientOptions, type TradeCall } from './gateway-client';
export { GatewayReads } from './gateway-reads';
export {
  tradeOutcome,
  type RefusedOutcome,
  type TerminalError,
  type TradeOutcome,
  type UnknownOutcome,
} from './outcomes';
export { GatewayReadError, type ReadFailure } from './read-error';
export type * from './records';
export type * from './requests';
export type * from './stream-records';
export { GatewayStreams, type FollowOptions } from './streams';
