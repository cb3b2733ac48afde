/** The strategy that other engines have, too. */
export const traded = 'ema-cross';

/** Our run of the strategy that an engine's result is compared with. */
export function oursOf({ period }, results) {
  return results.find((result) => result.period === period && result.name === traded);
}

/** What of a result is not that of ours: closed trades, their profit, or the equity at the end, to the cent. */
export function differences(result, ours) {
  return ['trades', 'profit', 'equity'].filter((key) => !(Math.abs(result[key] - ours[key]) < 0.005));
}

/** Whether each other engine came to what ours did, as rows of cells. */
export function agreement(results) {
  const head = ['period', 'engine', 'trades', 'profit', 'equity', 'agrees'];
  const rows = results
    .filter(({ name, isOther }) => name === traded || isOther)
    .map((result) => {
      const { period, name, trades, profit, equity, isOther = false } = result;
      const differing = differences(result, oursOf(result, results));
      const verdict = differing.length === 0 ? 'yes' : `no: ${differing.join(', ')}`;
      return [period, name, String(trades), profit.toFixed(2), equity.toFixed(2), isOther ? verdict : ''];
    });
  return [head, ...rows];
}
