export { FileLockedError, StateDirFolderError, StateDirLockedError, StateLock } from './state-lock';
