export { authenticated } from './connections';
export type { ConnectionLimits } from './connection-limits';
export type { EarlyHeaders } from './early-answer';
export { HttpSurface, type SurfaceOptions } from './http-surface';
export { parseStrictJson } from './strict-json';
