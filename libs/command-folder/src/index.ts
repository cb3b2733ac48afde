export { CommandFolder } from './command-folder';
export type { CommandResult } from './command-result';
export { awaitedResult } from './awaited-result';
