import { defineStrategy } from '@libs/strategy';

class NoParams {}

/** Receives every quote and never trades. */
export default defineStrategy({
  version: 1,
  params: NoParams,
  warmupBars: () => 1,
  create: () => ({ onTick: () => undefined }),
});
