import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './started-program';

export const textOf = (page: string): string => readFileSync(join(repository, page), 'utf8');

/** The blocks of a page that a shell can run, in order. */
export const shellBlocks = (page: string): string[] =>
  [...textOf(page).matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, code]) => code ?? '');
