import { barRowFields, keyedDealRowFields, keyedOrderRowFields, positionRowFields, without } from '@libs/records';

// The names of the terminal's numbers (`type_str` and similar) are omitted, because the numbers are equivalent.

export const positionMembers = without(positionRowFields, 'type_str');
export const historyOrderMembers = without(keyedOrderRowFields, 'type_str', 'state_str');
export const orderMembers = without(historyOrderMembers, 'time_setup_utc', 'time_done_utc', 'time_expiration_utc');
export const dealMembers = without(keyedDealRowFields, 'type_str', 'entry_str');
export const barMembers = without(barRowFields, 'spread', 'real_volume');
