import { closeAnswerFields } from '@libs/records';
import { documentedOn } from '../http/documented';
import { MutationResponse } from '../orders/order.response';

/** The 200 of POST /close_position and POST /position_close_partial. */
export class PositionClosedResponse extends documentedOn(MutationResponse, closeAnswerFields) {}
