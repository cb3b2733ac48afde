export { StateDirLockedError, StateLock } from './state-lock';
