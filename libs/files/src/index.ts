export { codeOf } from './error-code';
export { Files, type FileFacts, type OpenFile, type OpenFlag } from './files';
export { lastBytes } from './last-bytes';
export { machineFiles } from './machine-files';
export { makeFolders, makeFoldersSync } from './make-folders';
