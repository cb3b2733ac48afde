import { accountFields } from '@libs/records';
import { documentedAnswer } from '../http/documented';

/** The 28 fields of the terminal's account record, beside `ok`. Money in the deposit currency. */
export class AccountResponse extends documentedAnswer(accountFields) {}
