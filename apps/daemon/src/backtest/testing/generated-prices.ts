import { resolve } from 'node:path';

/** One-minute bars of bid and of ask of GBPUSD in February 2023, which are generated before the tests run. */
export const generatedPrices = ['bid', 'ask'].map((side) =>
  resolve(__dirname, `../../../../../.build/prices/gbpusd-m1-${side}-2023-02.csv`),
);
