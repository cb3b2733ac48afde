export * from './enums';
export * from './last-error';
export * from './records';
export * from './retcodes';
export type { JournaledRequest } from './sealing';
export * from './terminal-client';
export * from './timeframes';
export * from './trade-request';
