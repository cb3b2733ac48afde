export { UsageError, parseArguments, type Flags } from '@libs/command-line';
