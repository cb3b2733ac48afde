import { symbolRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The 96 fields of the terminal's symbol record, and the time of its quote in UTC. */
export class SymbolInfoResponse extends documentedAnswer(symbolRowFields) {}
