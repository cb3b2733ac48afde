import { dealRowFields, keyedDealRowFields } from '@libs/records';
import { documented } from '../http/documented';
import { pageOf } from './rows-page';

/** The terminal's 18 fields of a deal, its time in UTC and its enumerations in words. */
export class DealRowResponse extends documented(dealRowFields) {}

/** A deal, with the key it came from. */
export class KeyedDealRow extends documented(keyedDealRowFields) {}

export class DealsResponse extends pageOf(KeyedDealRow) {}
