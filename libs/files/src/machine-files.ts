import * as promises from 'node:fs/promises';
import type { Files } from './files';

/** The files of this machine. */
export const machineFiles: Files = promises;
