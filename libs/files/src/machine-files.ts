import * as promises from 'node:fs/promises';
import type { Files } from './files';
import { makeFolders } from './make-folders';

/** The files of this machine. */
export const machineFiles: Files = { ...promises, mkdir: (path, { mode }) => makeFolders(path, mode) };
