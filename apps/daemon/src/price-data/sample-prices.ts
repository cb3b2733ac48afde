import { generatedBars, type GeneratedBars } from '@libs/simulator';

/** One-minute bars of bid and ask of EURUSD on one generated day, the same each time. */
export function samplePrices(): GeneratedBars {
  return generatedBars({ symbol: 'EURUSD', period: '2024-01-09', seed: 1 });
}
