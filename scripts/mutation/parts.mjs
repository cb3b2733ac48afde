/**
 * The code without I/O that is mutated: its folder, and the percentage of changes that its own unit tests have to notice. `cases`: of
 * a property at most. The thousands that some have are a search for the unexpected; a change that needs them lacks a test of its own.
 */
export const parts = {
  'account-evidence': { folder: 'libs/account-evidence/src', least: 97 },
  'order-drafts': { folder: 'libs/order-drafts/src', least: 97 },
  'trade-core': { folder: 'apps/gateway/src/trade-core', least: 97 },
  core: { folder: 'apps/daemon/src/core', least: 90, cases: 100 },
};
