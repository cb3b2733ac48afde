import type { TradePurpose } from './journal-records';

/** Whether requests of a purpose only reduce risk; these pass even if they cannot be written. */
export function reducesRisk(purpose: TradePurpose): boolean {
  return purpose === 'close' || purpose === 'close_partial' || purpose === 'cancel';
}
