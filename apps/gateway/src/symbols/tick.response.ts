import { tickRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The 8 fields of the terminal's tick, and its time in UTC. */
export class TickResponse extends documentedAnswer(tickRowFields) {}
