import { quoteRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The 8 fields of the terminal's tick, its time in UTC, and its age. */
export class TickResponse extends documentedAnswer(quoteRowFields) {}
