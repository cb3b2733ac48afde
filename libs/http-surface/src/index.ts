export { hostCheck, isLoopback } from './allowed-hosts';
export type { ConnectionLimits } from './connection-limits';
export type { EarlyHeaders } from './early-answer';
export { HttpSurface, type ServerRules, type SurfaceOptions } from './http-surface';
export { listenOptions, requireFreePort } from './listen-options';
export { methodNotAllowed } from './parser-errors';
export { sseComment, sseFrame, sseRetry, type SseMessage } from './sse-frame';
export { parseStrictJson } from './strict-json';
export { handshakeProblem, isWebSocketHandshake, offeredProtocols } from './websocket-handshake';
