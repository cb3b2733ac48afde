import type { BrowserContext, Page } from 'playwright-core';

/** A page, with every address that was asked for on its behalf and every problem that the browser reported. */
export interface ObservedPage {
  readonly page: Page;
  readonly asked: readonly string[];
  readonly errors: readonly string[];
}

/** Opens a page of a browser and goes to an address. */
export async function observedPage(context: BrowserContext, url: string): Promise<ObservedPage> {
  const asked: string[] = [];
  const errors: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url);
  return { page, asked, errors };
}
