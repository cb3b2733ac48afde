export { duration, table } from '@libs/command-line';
