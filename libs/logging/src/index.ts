export { logOptions, type LogLevel } from './log-options';
