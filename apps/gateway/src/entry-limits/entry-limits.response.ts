import { entryLimitFields } from '@libs/records';
import { documented } from '../http/documented';

/** A limit on entries and its current value. */
export class EntryLimitRow extends documented(entryLimitFields) {}
