import { levelsAnswerFields } from '@libs/records';
import { documentedOn } from '../http/documented';
import { MutationResponse } from '../orders/order.response';

/** The 200 of POST /modify_sl_tp. */
export class ModifyLevelsResponse extends documentedOn(MutationResponse, levelsAnswerFields) {}
