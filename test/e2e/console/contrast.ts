import type { Page } from 'playwright-core';

/**
 * Runs in the page: the texts whose computed colour has a contrast below 4.5 to 1 (WCAG 2.2, 1.4.3) against the background
 * that is behind them. Disabled controls are exempt there, but not here.
 */
const script = `(() => {
  const channels = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const ground = channels(getComputedStyle(at).backgroundColor);
      if (ground.length === 3 || ground[3] > 0.99) return ground;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  let count = 0;
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || !element.checkVisibility()) continue;
    count += 1;
    const one = luminance(channels(getComputedStyle(element).color));
    const other = luminance(groundOf(element));
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + node.data.trim().slice(0, 40));
  }
  return { count, found };
})()`;

/** The texts that are hard to read, with their contrast, and the number of texts that were checked. */
export function lowContrast(page: Page): Promise<{ readonly count: number; readonly found: readonly string[] }> {
  return page.evaluate(script);
}
