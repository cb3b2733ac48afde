// For those who may import the port and not the records.
export { countText, lotsText, moneyText, priceText, volumeText } from '@libs/records';
// The port uses these constants, so they are exported with it.
export * from '@libs/trade-constants';
export { fromFixedPoint, toFixedPoint } from './fixed-point';
export * from './last-error';
export { latestDateS } from './latest-date';
export { CallRefused } from './link/link-calls';
export { LinkClient } from './link/link-client';
export { isObject } from './link/link-protocol';
export { LinkServer } from './link/link-server';
export type { Interruption } from './link/link-server-options';
export * from './price-grid';
export type { AccountChange, PushedChanges } from './pushed-changes';
export * from './records';
export type { JournaledRequest } from './sealing';
export * from './terminal-client';
export * from './timeframes';
export * from './trade-request';
