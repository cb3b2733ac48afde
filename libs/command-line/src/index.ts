export { UsageError, parseArguments, type FlagKind, type Flags, type ParsedArguments } from './arguments';
export { advice, suggestion } from './nearest';
export { ownAnswer } from './own-answer';
export { drained, tolerateClosedPipe } from './standard-streams';
export { duration, table } from './table';
export { completionScript, shells, type CompletedFlag, type CompletedProgram, type Shell } from './completion';
