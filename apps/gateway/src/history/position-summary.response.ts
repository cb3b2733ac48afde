import { positionSummaryRowFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** A position as its deals add up. */
export class PositionSummaryResponse extends documentedAnswer(positionSummaryRowFields) {}
