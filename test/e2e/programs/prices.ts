import { join } from 'node:path';
import { repository } from './started-program';

/** One-minute bars of bid and of ask of GBPUSD in February 2023, which are generated before the suites run. */
export const priceFiles = ['bid', 'ask'].map((side) =>
  join(repository, `.build/prices/gbpusd-m1-${side}-2023-02.csv`),
) as [string, string];
