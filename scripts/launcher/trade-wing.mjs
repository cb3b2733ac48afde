/** Folders of the gateway that keep and send trade requests. */
export const tradeWing = [
  ...['trade-core', 'trade-journal', 'audit', 'reconciliation', 'fences', 'entry-limits'].map(
    (folder) => `apps/gateway/src/${folder}`,
  ),
  'libs/request-life',
];
