import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';

/** A desk and a phone, light and dark. */
export const looks: readonly BrowserContextOptions[] = ([1440, 390] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    ...{ colorScheme, viewport: { width, height: width === 390 ? 844 : 900 }, hasTouch: width === 390 },
  })),
);

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Runs in the page: each rule of WCAG 2.2 A and AA and of good practice that something on it violates, with the elements. */
const run = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' at ' + target.join(' ') + ': ' + failureSummary)))`;

/** What axe-core finds on a page as it is shown now. */
export async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(axe);
  return page.evaluate<string[]>(run);
}
