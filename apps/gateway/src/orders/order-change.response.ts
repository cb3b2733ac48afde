import { cancelAnswerFields, orderChangeFields } from '@libs/records';
import { documentedOn } from '../http/documented';
import { MutationResponse } from './order.response';

/** The 200 of PUT /orders/{ticket}. */
export class OrderModifiedResponse extends documentedOn(MutationResponse, orderChangeFields) {}

/** The 200 of DELETE /orders/{ticket}. */
export class OrderCancelledResponse extends documentedOn(MutationResponse, cancelAnswerFields) {}
