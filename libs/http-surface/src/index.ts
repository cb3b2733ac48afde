export { hostCheck, isLoopback, listenAddress } from './allowed-hosts';
export { authenticated } from './connections';
export type { ConnectionLimits } from './connection-limits';
export type { EarlyHeaders } from './early-answer';
export { HttpSurface, type ServerRules, type SurfaceOptions } from './http-surface';
export { methodNotAllowed } from './parser-errors';
export { parseStrictJson } from './strict-json';
