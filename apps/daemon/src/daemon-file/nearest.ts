export { nearest } from '@libs/command-line';
