export { StateDirFolderError, StateDirLockedError, StateLock } from './state-lock';
