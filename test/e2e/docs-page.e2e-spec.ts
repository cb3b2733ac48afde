import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Locator, type Page } from 'playwright-core';
import { GatewayProgram } from './programs/gateway-program';
import { describeWith, requireProgram } from './programs/needs';
import { observedPage, type ObservedPage } from './programs/observed-page';
import { Scratch } from './programs/scratch';

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The page in a real browser. */
async function openDocs(scratch: Scratch, url: string): Promise<ObservedPage> {
  const context = await chromium.launchPersistentContext(scratch.folder(), {
    executablePath: requireProgram('chromium'),
    args: quiet,
    viewport: { width: 1280, height: 1600 },
  });
  scratch.undo(() => context.close());
  const observed = await observedPage(context, `${url}/apidocs`);
  await observed.page.locator('.opblock').first().waitFor();
  return observed;
}

/** The box of one operation, opened and switched to trying it out. */
async function tryOut(page: Page, method: string, path: string): Promise<Locator> {
  const box = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
  await box.locator('.opblock-summary-control').click();
  await box.locator('.try-out__btn').click();
  return box;
}

/** Presses Execute and gives back what the page shows once the answer with that status is there. */
async function execute(box: Locator, status: number): Promise<string> {
  await box.locator('.execute').click();
  const response = box.locator('.live-responses-table .response').first();
  await response.locator('.response-col_status', { hasText: String(status) }).waitFor();
  return response.locator('.response-col_description').innerText();
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('.btn.authorize').first().click();
  const dialog = page.locator('.modal-ux');
  await dialog.locator('input').fill(key);
  await dialog.locator('.modal-btn.authorize').click();
  await dialog.locator('.btn-done').click();
}

describeWith('chromium')('the docs page in Chromium', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  beforeAll(async () => {
    gateway = await GatewayProgram.startReady(scratch);
  });
  afterAll(() => scratch.clear());

  it('authorises with the key and places an order, with requests to the gateway alone', async () => {
    const { page, asked, errors } = await openDocs(scratch, gateway.url);
    const order = await tryOut(page, 'post', '/order');
    expect(await execute(order, 401)).toContain('authentication_error');
    await authorize(page, gateway.key);

    await order.locator('[data-param-name="Idempotency-Key"] input').fill('from-the-docs');
    await order.locator('textarea').fill(JSON.stringify({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' }));
    expect(await execute(order, 200)).toContain('"state": "executed"');

    expect((await gateway.call('/get_positions')).body.total).toBe(1);
    const outside = asked.filter((url) => !url.startsWith(`${gateway.url}/`) && !/^(data|blob):/.test(url));
    expect(outside).toEqual([]);
    expect(errors.filter((text) => !text.includes('401'))).toEqual([]);
    expect(await page.locator('a[href$="apidocs/openapi.json"]').count()).toBeGreaterThan(0);
  });

  it('works behind a proxy with a path prefix', async () => {
    const proxy = createServer((incoming, outgoing) => {
      const { method, headers, url = '' } = incoming;
      const path = url.replace(/^\/mt5/, '');
      if (path === url) return void outgoing.writeHead(418).end();
      incoming.pipe(
        request(`${gateway.url}${path}`, { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        }),
      );
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    scratch.undo(() => new Promise((resolve) => proxy.close(resolve)));
    const { port } = proxy.address() as AddressInfo;

    const { page } = await openDocs(scratch, `http://127.0.0.1:${port}/mt5`);
    expect(await execute(await tryOut(page, 'get', '/account'), 401)).toContain('authentication_error');
  });
});
