import { defineStrategy } from '@libs/strategy';

class NoParams {}

/** Receives every bar and never trades: the cost of the loop alone. */
export default defineStrategy({
  version: 1,
  params: NoParams,
  warmupBars: () => 1,
  create: () => ({ onBar: () => undefined }),
});
