import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DaemonProgram } from '../daemon/daemon-program';
import { looks, violations } from '../programs/accessibility';
import { GatewayProgram } from '../programs/gateway-program';
import { describeWith } from '../programs/needs';
import { freePort } from '../programs/launcher-program';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';
import { waitUntil } from '../programs/waits';
import { ConsoleBrowser, enterKey, fault, openTab, picture, writesPictures } from './console-browser';
import { lowContrast } from './contrast';
import { leaveEquity, leaveResults } from './recorded-equity';
import { leaveSetAside, type SetAsideNotifications } from './set-aside-notifications';
import { leaveUndecidable } from './undecidable-request';

/** Pixels of each chart that are not transparent. */
const paintedPixels = `[...document.querySelectorAll('canvas')].map((canvas) => canvas.getContext('2d')
  .getImageData(0, 0, canvas.width, canvas.height).data.filter((value, index) => index % 4 === 3 && value > 0).length)`;
/** Confirms a question twice before the page is drawn again. */
const twoClicks = `(() => {
  const form = document.querySelector('dialog form');
  form.requestSubmit();
  form.requestSubmit();
})()`;
const hostileServer = '<img src=x onerror="document.title=1">';
const serverName = writesPictures ? 'Simulator-Demo' : hostileServer;
const hostileText = writesPictures ? 'position 8 opened' : '<img src=x onerror=a(2)>';
const hostileComment = writesPictures ? 'opened by hand' : '<img src=x onerror=a(1)>';

describeWith('chromium')('the console in Chromium', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let browser: ConsoleBrowser;
  let daemonPort: number;
  let daemonState: string;
  let alerts: SetAsideNotifications;
  beforeAll(async () => {
    daemonPort = await freePort();
    const stateDir = join(scratch.folder(), 'state');
    await leaveUndecidable(stateDir, 'left-open');
    await leaveEquity(stateDir, `${serverName}/100001`, 120);
    alerts = await leaveSetAside(scratch, stateDir, ['position 7 opened', hostileText, 'position 9 opened']);
    gateway = await GatewayProgram.startReady(scratch, {
      STATE_DIR: stateDir,
      NOTIFIER_FILE: alerts.file,
      ALERTS_WEBHOOK_SECRET: 'whsec-e2e',
      API_KEY_READONLY: 'look-only',
      SIM_FAULTS: '1',
      CONSOLE_DAEMON_URL: `http://127.0.0.1:${daemonPort}`,
      CONSOLE_DAEMON_TOKEN: 'control-token',
      TERMINAL_TRADE_TIMEOUT_MS: '1000',
      SIM_SERVER: serverName,
      TERMINAL_SERVER: serverName,
    });
    browser = await ConsoleBrowser.start(scratch, gateway);
  });
  afterEach(() => browser.closePages());
  afterAll(() => scratch.clear());

  it('is served without a key and without data, and lets the page load nothing from elsewhere', async () => {
    const page = await fetch(`${gateway.url}/console`);
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(await page.text()).not.toContain('100001');
    const etag = page.headers.get('etag') ?? '';
    const again = await fetch(`${gateway.url}/console`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('refuses a wrong key, and with the key shows the account, asking only this gateway', async () => {
    const { page, asked, errors } = await browser.visit();
    await enterKey(page, 'wrong');
    await page.getByText('The gateway does not accept this key (401).').waitFor();
    await enterKey(page, gateway.key);
    await page.locator('#account.current').waitFor();
    expect(await page.locator('#login').innerText()).toBe('account 100001');
    expect(await page.locator('#mode').innerText()).toBe('DEMO');
    expect(await page.locator('#account').innerText()).toMatch(/Balance\s+10,000\.00 USD/);
    expect(await page.locator('#account .age').innerText()).toMatch(/^read \d s ago$/);
    expect(asked.filter((url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith('data:'))).toEqual([]);
    expect(asked.join()).not.toContain(gateway.key);
    expect(errors.filter((text) => !text.includes('401'))).toEqual([]);
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
  });

  it('shows texts of the broker as text', async () => {
    const { page, errors } = await browser.open();
    const ticket = await placed({ comment: hostileComment });
    await page.locator(`#positions tr[data-ticket="${ticket}"]`, { hasText: hostileComment }).waitFor();
    expect(await page.locator('#server').innerText()).toBe(serverName);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Trading gateway');
    expect(errors).toEqual([]);
  });

  /** Opens a position, or places a pending order with a price. Returns its ticket. */
  async function placed(order: { readonly price?: number; readonly comment?: string; readonly type?: string }) {
    const body = { symbol: 'EURUSD', volume: 0.2, type: 'BUY', ...order };
    const answer = await gateway.trade('/order', body);
    expect(answer.status).toBe(200);
    const { position, result } = answer.body as {
      readonly position: number;
      readonly result: { readonly order: number };
    };
    return order.price === undefined ? position : result.order;
  }
  const positionOf = async (ticket: number): Promise<Readonly<Record<string, unknown>> | undefined> => {
    const { data } = (await gateway.call('/get_positions')).body as {
      readonly data: readonly { readonly ticket: number }[];
    };
    return data.find((row) => row.ticket === ticket);
  };

  const countOf = async (symbol: string): Promise<number> => {
    const { data } = (await gateway.call(`/get_positions?symbol=${symbol}`)).body as {
      readonly data: readonly object[];
    };
    return data.length;
  };

  it('protects a position and closes a part of it, each under a key whose history it shows', async () => {
    const ticket = await placed({});
    const { page, errors } = await browser.open();
    await page.getByRole('button', { name: `Protect position ${ticket}` }).click();
    await page.getByLabel('sl', { exact: true }).fill('1,1');
    await page.locator('dialog').getByRole('button', { name: 'Protect' }).click();
    await page.getByText('sl must be a price above 0').waitFor();
    await page.getByLabel('sl', { exact: true }).fill('0.5');
    await page.keyboard.press('Enter');
    const write = page.locator('#writes li', { hasText: `protect position ${ticket}` });
    await write.and(page.locator('[data-state=done]')).waitFor();
    expect(await positionOf(ticket)).toMatchObject({ sl: 0.5, tp: 0 });
    await page.locator(`#positions tr[data-ticket="${ticket}"] td[data-label=SL]`, { hasText: '0.50000' }).waitFor();

    await page.getByRole('button', { name: `Protect position ${ticket}` }).click();
    await page.getByLabel('remove the sl').check();
    await page.locator('dialog').getByRole('button', { name: 'Protect' }).click();
    await page.locator('#writes li[data-state=done]', { hasText: 'with no sl' }).waitFor();
    expect(await positionOf(ticket)).toMatchObject({ sl: 0 });

    await page.getByRole('button', { name: `Close position ${ticket}` }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.locator('dialog:not([open])').waitFor({ state: 'attached' });
    expect(await page.locator('#writes li').count()).toBe(2);
    await page.getByRole('button', { name: `Close position ${ticket}` }).click();
    await page.getByLabel('Lots to close').fill('0.1');
    await page.evaluate(twoClicks);
    const closing = page.locator('#writes li[data-state=done]', { hasText: `close 0.1 lots of position ${ticket}` });
    await closing.waitFor();
    expect(await positionOf(ticket)).toMatchObject({ volume: 0.1 });

    const key = await closing.locator('code').innerText();
    expect(key).toMatch(/^console-[0-9a-f]{24}$/);
    await closing.getByRole('button', { name: `history of ${key}` }).click();
    await page.locator('#meaning', { hasText: 'completed: Done.' }).waitFor();
    expect(await page.locator('#history tbody td:nth-child(3)').allInnerTexts()).toEqual(['intent', 'broker_response']);
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    expect(errors).toEqual([]);
  });

  it('places an order of a size that follows from its risk, and one only for two clicks', async () => {
    const before = await countOf('GBPUSD');
    const { page, errors } = await browser.open();
    await page.getByLabel('Symbol').fill('GBPUSD');
    await page.keyboard.press('Enter');
    const ticket = page.locator('#ticket', { hasText: 'New order on GBPUSD' });
    const { bid } = (await gateway.call('/symbol_info_tick/GBPUSD')).body as { readonly bid: number };
    await ticket.getByLabel('Stop loss').fill((bid * 1.01).toFixed(5));
    await ticket.getByLabel('Size').fill('1');
    await ticket.locator('[name=unit]').selectOption('percent');
    await ticket.getByRole('button', { name: 'Buy' }).click();
    await ticket
      .getByRole('alert')
      .getByText(/^sl must be below \d\.\d{5} for a BUY$/)
      .waitFor();
    await ticket.getByLabel('Stop loss').fill((bid * 0.99).toFixed(5));
    await ticket.getByRole('button', { name: 'Buy' }).click();
    const question = page.locator('dialog[open]', { hasText: /BUY \d+\.\d\d GBPUSD\?/ });
    const text = await question.innerText();
    const share = Number(/loses [\d,.]+ USD, (\d+\.\d+) % of the equity/.exec(text)?.[1]);
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThanOrEqual(1);
    expect(await countOf('GBPUSD')).toBe(before);
    await page.evaluate(twoClicks);
    await page.locator('#writes li[data-state=done]', { hasText: /BUY \d+\.\d\d GBPUSD, sl/ }).waitFor();
    expect(await page.locator('#writes li').count()).toBe(1);
    expect(await countOf('GBPUSD')).toBe(before + 1);
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    expect(errors).toEqual([]);
  });

  it('repeats an order whose answer was lost under the same key, and offers no other one until then', async () => {
    const before = await countOf('EURUSD');
    const { page } = await browser.open();
    const keys: (string | undefined)[] = [];
    await page.route('**/order', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      await route.abort();
    });
    await page.route('**/trade_requests/**', (route) => route.abort());
    const sell = page.locator('#ticket').getByRole('button', { name: 'Sell' });
    await sell.click();
    await page.getByRole('button', { name: 'Send SELL 0.10' }).click();
    const write = page.locator('#writes li', { hasText: 'SELL 0.10 EURUSD' });
    await write.and(page.locator('[data-state=unknown]')).waitFor();
    await page.locator('#ticket').getByText('No order now: the outcome of a request is unknown.').waitFor();
    expect(await sell.isDisabled()).toBe(true);
    await page.unroute('**/order');
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/order'))
        keys.push(request.headers()['idempotency-key']);
    });
    await write.getByRole('button', { name: 'Repeat under the same key' }).click();
    await write.and(page.locator('[data-state=done]')).waitFor();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(await countOf('EURUSD')).toBe(before + 1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('places a pending order at a price with the digits of the symbol', async () => {
    const { page } = await browser.open();
    const ticket = page.locator('#ticket');
    await ticket.getByLabel('Type').selectOption('Limit');
    await ticket.getByLabel('Price').fill('0.9500001');
    await ticket.getByRole('button', { name: 'Buy' }).click();
    await ticket.getByText('price has more decimals than the prices of EURUSD, which have 5').waitFor();
    await ticket.getByLabel('Price').fill('0.95');
    await ticket.getByLabel('Take profit').fill('1');
    await ticket.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('button', { name: 'Send BUY LIMIT 0.10' }).click();
    await page
      .locator('#writes li[data-state=done]', { hasText: 'BUY LIMIT 0.10 EURUSD at 0.95000, tp 1.00000' })
      .waitFor();
    await page.locator('#orders tr', { hasText: 'BUY LIMIT' }).first().waitFor();
    const { data } = (await gateway.call('/orders?symbol=EURUSD')).body;
    expect(data).toContainEqual(expect.objectContaining({ price_open: 0.95, tp: 1, volume_current: 0.1 }));
  });

  it('cancels a pending order, and shows what the broker rejected as rejected', async () => {
    const ticket = await placed({ price: 0.95, type: 'BUY_LIMIT' });
    const position = await placed({});
    const { page } = await browser.open();
    await page.getByRole('button', { name: `Cancel order ${ticket}` }).click();
    await page.getByRole('button', { name: 'Cancel order', exact: true }).click();
    await page.locator('#writes li[data-state=done]', { hasText: `cancel order ${ticket}` }).waitFor();
    await page.locator(`#orders tr[data-ticket="${ticket}"]`).waitFor({ state: 'detached' });

    fault(gateway, 'retcode', '10018', '--times', '1');
    await page.getByRole('button', { name: `Close position ${position}` }).click();
    await page.getByRole('button', { name: 'Close position', exact: true }).click();
    await page.locator('#writes li[data-state=rejected]', { hasText: '10018' }).waitFor();
    expect(await positionOf(position)).toBeDefined();
  });

  it('shows an unknown outcome as unknown, allows no second request, and follows it until it is settled', async () => {
    const ticket = await placed({});
    const { page } = await browser.open();
    fault(gateway, 'lose-answer', '--late-ms', '4000', '--times', '1');
    const close = page.getByRole('button', { name: `Close position ${ticket}` });
    await close.click();
    await page.getByRole('button', { name: 'Close position', exact: true }).click();
    const write = page.locator('#writes li', { hasText: `close position ${ticket}` });
    await write.and(page.locator('[data-state="in flight"]')).waitFor();
    expect(await close.isDisabled()).toBe(true);
    await write.and(page.locator('[data-state=unknown]')).waitFor();
    await write.getByText('Do not send another request').waitFor();
    await write.getByRole('button', { name: 'Repeat under the same key' }).waitFor();
    await page.locator('#attention', { hasText: 'requests of unknown outcome' }).waitFor();
    await openTab(page, 'Requests');
    await page.locator('#unresolved li', { hasText: 'POST /close_position' }).waitFor();
    await picture(page.locator('#writes'), 'console-unknown');
    expect(await lowContrast(page)).toMatchObject({ found: [] });

    await write.getByRole('button', { name: 'Repeat under the same key' }).click();
    await write.and(page.locator('[data-state=done]')).waitFor();
    await page.locator('#unresolved li', { hasText: 'POST /close_position' }).waitFor({ state: 'detached' });
    const { data } = (await gateway.call(`/history_deals_get?position=${ticket}`)).body as { readonly data: object[] };
    expect(data).toHaveLength(2);
  });

  it('draws prices with fills, and balance and equity, and shows an event as it happens', async () => {
    const { page, errors } = await browser.open(gateway.key, { viewport: { width: 1200, height: 800 } });
    await page.getByLabel('Symbol').fill('GBPUSD');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'M5', exact: true }).click();
    await page.locator('#market [aria-pressed=true]', { hasText: /^M5$/ }).waitFor();
    const drawn = page.getByRole('img', { name: /^GBPUSD: 150 bars, last price \d\.\d+, \d fills?$/ });
    const fills = Number(/(\d) fills?$/.exec((await drawn.getAttribute('aria-label')) ?? '')?.[1]);
    const last = await page.locator('.readout').innerText();
    expect(last).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {3}O 1\.\d{5} {3}H 1\.\d{5} {3}L 1\.\d{5} {3}C 1\.\d{5}$/);
    await page.locator('#prices .chart').hover({ position: { x: 100, y: 100 } });
    await page.waitForFunction(`document.querySelector('.readout').textContent.slice(0, 16) < '${last.slice(0, 16)}'`);
    const firstOf = async () => (await page.locator('.readout').innerText()).slice(0, 16);
    await page.mouse.move(0, 0);
    await page.getByRole('button', { name: 'zoom in' }).click();
    await page.getByRole('img', { name: /^GBPUSD: 105 bars/ }).waitFor();
    const box = await page.locator('#prices .chart').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 100);
    const before = await firstOf();
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 100, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 100);
    await page.waitForFunction(`document.querySelector('.readout').textContent.slice(0, 16) < '${before}'`);
    await page.getByRole('button', { name: 'newest bars' }).click();
    await page.getByRole('img', { name: /^GBPUSD: 150 bars/ }).waitFor();
    const { position } = (await gateway.trade('/order', { symbol: 'GBPUSD', volume: 0.1, type: 'BUY' })).body;
    await page.getByRole('img', { name: new RegExp(`^GBPUSD: 150 bars, .*, ${fills + 1} fills?$`) }).waitFor();
    await page.getByRole('img', { name: /^Balance [\d,.]+ and equity over 1 day, with 1[2-9]\d recorded/ }).waitFor();
    const painted = await page.evaluate<number[]>(paintedPixels);
    expect(painted).toHaveLength(2);
    expect(Math.min(...painted)).toBeGreaterThan(1_000);
    await page.locator(`#positions tr[data-ticket="${String(position)}"]`).waitFor();
    await picture(page, 'console');
    await page.locator('#money').getByRole('button', { name: '7 days' }).click();
    await page.getByRole('img', { name: /^Balance .* over 7 days, with (2[3-9]|3\d) recorded/ }).waitFor();
    await openTab(page, 'Events');
    await page.locator('#stream-state', { hasText: /^live$/ }).waitFor();
    const opened = page.locator('#events li', { hasText: 'position opened' });
    await opened.filter({ hasText: `ticket ${String(position)}` }).waitFor();
    expect(errors).toEqual([]);
  });

  it('states that a key was never used, and makes it void', async () => {
    const { page } = await browser.open();
    await openTab(page, 'Requests');
    await page.getByLabel('Idempotency key').fill('never-used');
    await page.locator('#request').getByRole('button', { name: 'Show' }).click();
    await page.getByText('No request under this key was sent.').waitFor();
    await page.getByRole('button', { name: 'Make void never-used' }).click();
    await page.getByRole('button', { name: 'Make void', exact: true }).click();
    await page.locator('#meaning', { hasText: 'void: Void' }).waitFor();
    expect((await gateway.call('/trade_requests/never-used')).body.status).toBe('void');
  });

  it('states that an outcome cannot be decided, and accepts it', async () => {
    const { page } = await browser.open();
    await openTab(page, 'Requests');
    const left = page.locator('#unresolved li', { hasText: 'left-open' });
    await left.getByText('The look-ups have ended without a result.').waitFor();
    expect(await left.locator('p').first().innerText()).toBe('it may have been changed again by a later request');
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    await left.getByRole('button', { name: 'history of left-open' }).click();
    await page.locator('#history').getByRole('button', { name: 'Accept left-open' }).waitFor();
    await left.getByRole('button', { name: 'Accept left-open' }).click();
    await page.getByRole('button', { name: 'Accept outcome', exact: true }).click();
    await page
      .locator('#writes li[data-state=done]', { hasText: 'accepted; it leaves the unknown outcomes' })
      .waitFor();
    await page.getByText('No request has an unknown outcome.').waitFor();
    await page.locator('#meaning', { hasText: 'accepted: Its outcome stays unknown' }).waitFor();
    expect((await gateway.call('/trade_requests/left-open')).body.status).toBe('accepted');
  });

  it('shows notifications that were set aside, sends one again and drops one, each after a question', async () => {
    const { page, errors } = await browser.open();
    const rowOf = (text: string) => page.locator('#notifications tbody tr', { hasText: text });
    await page.locator('#attention').getByRole('button', { name: '3 notifications set aside' }).click();
    await rowOf(hostileText).waitFor();
    expect(await page.locator('#notifications tbody tr').count()).toBe(3);
    expect(await page.locator('img').count()).toBe(0);
    expect(await rowOf(hostileText).innerText()).toMatch(/ops.*HTTP 400/s);
    expect(await lowContrast(page)).toMatchObject({ found: [] });

    const retry = page.getByRole('button', { name: 'Retry notification trade-100001-2 on ops' });
    await retry.click();
    const question = page.locator('dialog', { hasText: hostileText });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('dialog:not([open])').waitFor({ state: 'attached' });
    expect(await page.locator('#writes li').count()).toBe(0);

    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/notifications/retry', async (route) => {
      await held;
      await route.continue();
    });
    await retry.click();
    await question.getByRole('button', { name: 'Send again', exact: true }).click();
    const again = page.locator('#writes li', { hasText: 'send again notification trade-100001-2 on ops' });
    await again.and(page.locator('[data-state="in flight"]')).waitFor();
    expect(await retry.isDisabled()).toBe(true);
    expect(alerts.receiver.messages()).toEqual([]);
    release();
    await again.and(page.locator('[data-state=done]')).waitFor();
    await rowOf(hostileText).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Drop notification trade-100001-1 on ops' }).click();
    await page.getByRole('button', { name: 'Drop notification', exact: true }).click();
    await page.locator('#writes li[data-state=done]', { hasText: 'drop notification trade-100001-1 on ops' }).waitFor();
    await rowOf('position 7 opened').waitFor({ state: 'detached' });
    const received = await waitUntil(
      'the notification that was sent again',
      () => Promise.resolve(alerts.receiver.messages()),
      (messages) => messages.length > 0,
    );
    expect(received).toMatchObject([{ id: 'trade-100001-2', text: hostileText }]);
    const { data } = (await gateway.call('/notifications/set_aside')).body;
    expect(data).toMatchObject([{ id: 'trade-100001-3' }]);
    expect(errors).toEqual([]);
  });

  it('verifies the audit log, and names the lines that are missing', async () => {
    const { page } = await browser.open('look-only');
    await openTab(page, 'System');
    const audit = page.locator('#audit');
    await audit.getByRole('button', { name: 'Verify the audit log' }).click();
    await audit
      .getByText(/^The log holds together: \d+ lines, 1 to \d+; \d+ sends to the broker; 0 in flight/)
      .waitFor();
    expect(await audit.locator('.age').innerText()).toMatch(/^verified \d+ s ago$/);
    const file = join(gateway.folder, 'order-audit.jsonl');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.split('\n').toSpliced(1, 1).join('\n'));
    await audit.getByRole('button', { name: 'Verify the audit log' }).click();
    await audit.getByText('line 2: sequence 3 follows 1').waitFor();
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    writeFileSync(file, whole);
  });

  it('makes an account with real money unmistakable', async () => {
    const { page } = await browser.visit();
    await page.route('**/account', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), trade_mode: 2 } });
    });
    await enterKey(page, gateway.key);
    await page.locator('header.real').waitFor();
    expect(await page.locator('#mode').innerText()).toBe('REAL MONEY');
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    await page.getByRole('button', { name: 'Halt trading' }).click();
    expect(await page.locator('dialog').innerText()).toContain('REAL MONEY');
    // The page goes on asking until it is closed.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('halts and releases by keyboard, after a question that Escape takes back', async () => {
    await placed({});
    const { page } = await browser.open();
    await page
      .getByRole('button', { name: /^Close/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Halt trading' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog:not([open])').waitFor({ state: 'attached' });
    expect(await page.locator('#writes li').count()).toBe(0);

    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#writes li[data-state=done]', { hasText: 'trading is halted' }).waitFor();
    await page.getByText('kill switch: active').waitFor();
    await page.getByText('Trading is halted: the kill switch is active.').waitFor();
    expect((await gateway.call('/health')).body.kill_switch_active).toBe(true);
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    // The gateway refuses these while it is halted.
    for (const button of await page.getByRole('button', { name: /^(Close|Protect)/ }).all()) {
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([true, 'trading is halted']);
    }

    await page.locator('#ticket').getByText('No order now: trading is halted.').waitFor();
    expect(await page.getByRole('button', { name: 'Buy' }).isDisabled()).toBe(true);

    await page.getByRole('button', { name: 'Release' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#writes li[data-state=done]', { hasText: 'trading resumes' }).waitFor();
    await page.getByText('kill switch: inactive').waitFor();
    await page.locator('#ready').waitFor();
    expect((await gateway.call('/health')).body.kill_switch_active).toBe(false);
  });

  it('lists what any client sent and what came of it, finds a key, and leads to its history', async () => {
    const order = { symbol: 'EURUSD', volume: 0.2, type: 'BUY', magic: 42 };
    const send = (key: string, body: object) =>
      gateway.call('/order', { method: 'POST', body, headers: { 'idempotency-key': key } });
    await send('some-bot-0001', order);
    await send('some-bot-0002', { ...order, volume: 1_000 });
    const { page, errors } = await browser.open();
    await openTab(page, 'Requests');
    const row = (key: string) => page.locator('#recent-list tbody tr', { hasText: key.slice(-6) });
    await row('some-bot-0001').getByText('done', { exact: true }).waitFor();
    expect(await row('some-bot-0001').locator('[data-label=Volume]').innerText()).toBe('0.20');
    expect(await row('some-bot-0001').locator('[data-label=Magic]').innerText()).toBe('42');
    const refused = row('some-bot-0002');
    expect(await refused.locator('[data-label=Outcome]').innerText()).toMatch(/refused/i);
    expect(await refused.locator('[data-label=Reason]').innerText()).toBe('volume limit exceeded (MAX_ORDER_VOLUME)');
    // Nothing of a row is out of view.
    const cut = `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    await picture(page, 'console-requests');

    await page.getByLabel('Only what was not done').check();
    await row('some-bot-0001').waitFor({ state: 'detached' });
    await refused.waitFor();
    await page.getByLabel('Only what was not done').uncheck();
    await page.getByLabel('Part of the key').fill('bot-0001');
    await page.keyboard.press('Enter');
    await page.locator('#recent-list', { hasText: 'The newest with bot-0001 in their key' }).waitFor();
    await row('some-bot-0001').waitFor();
    expect(await page.locator('#recent-list tbody tr').count()).toBe(1);
    await page.getByLabel('Part of the key').fill('nobody sent this');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No requests.').waitFor();

    await page.getByLabel('Part of the key').fill('');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('button', { name: 'history of some-bot-0001' }).click();
    await page.locator('#meaning', { hasText: 'completed: Done.' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('takes a request with an outcome out of the list when it is dismissed, and leaves one without', async () => {
    const [first, second, third] = [await placed({}), await placed({}), await placed({})];
    const { page } = await browser.open();
    const close = async (ticket: number): Promise<void> => {
      await page.getByRole('button', { name: `Close position ${ticket}` }).click();
      await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
    };
    for (const ticket of [first, second]) {
      await close(ticket);
      await page.locator('#writes li[data-state=done]', { hasText: `position ${ticket}` }).waitFor();
    }
    fault(gateway, 'lose-answer', '--times', '1', '--late-ms', '60000');
    try {
      await close(third);
      const open = page.locator('#writes li[data-state=unknown]');
      await open.waitFor();
      expect(await open.getByRole('button', { name: /^Dismiss/ }).count()).toBe(0);
      const line = (ticket: number) => page.locator('#writes li', { hasText: `position ${ticket}` });
      await line(second)
        .getByRole('button', { name: /^Dismiss the request of [\d:]{8}$/ })
        .focus();
      await page.keyboard.press('Enter');
      await page.locator('#writes li', { hasText: `position ${second}` }).waitFor({ state: 'detached' });
      await line(first).locator('.dismiss:focus').waitFor();
      expect(await page.locator('#writes li').count()).toBe(2);
    } finally {
      fault(gateway, 'clear');
    }
    await page.locator('#writes li[data-state=done]', { hasText: `position ${third}` }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Dismiss all with an outcome' }).click();
    await page.locator('#writes.empty').waitFor({ state: 'attached' });
    await page.locator('#tab-Trade:focus').waitFor();
  });

  it('shows an outage, marks every figure as not current, and recovers', async () => {
    const { page } = await browser.open();
    await page.locator('#ready').waitFor();
    await page.locator('#prices.current').waitFor();
    await page.context().setOffline(true);
    try {
      await page.locator('#outage').waitFor();
      await page.locator('#account.stale .stale-note').waitFor();
      await page.locator('#positions.stale').waitFor();
      await page.locator('#prices.stale > h2 .age').waitFor();
      await page.locator('#money-now.stale .age').waitFor();
      expect(await page.locator('#kill-switch').innerText()).toMatch(/^kill switch: not known \(inactive \d+ s ago\)$/);
      expect(await lowContrast(page)).toMatchObject({ found: [] });
    } finally {
      await page.context().setOffline(false);
    }
    await page.locator('#account.current').waitFor();
    await page.locator('#outage').waitFor({ state: 'detached' });
  });

  it('states the reason of a lost terminal once, and marks what it shows as not current', async () => {
    const ticket = await placed({});
    const { page } = await browser.open();
    const key = page.locator(`#positions tr[data-ticket="${ticket}"] .link`);
    await expect(key.innerText()).resolves.toContain((await key.getAttribute('title'))?.slice(-6));
    fault(gateway, 'disconnected');
    try {
      await page.locator('#not-ready', { hasText: 'not running' }).waitFor();
      for (const panel of ['positions', 'orders', 'account', 'money', 'prices']) {
        const note = page.locator(`#${panel}.stale > .stale-note`);
        await note.and(page.getByText('Not current: the reason is stated above')).waitFor();
      }
      expect(await page.getByText('IPC initialize failed').count()).toBe(1);
      await page.locator('#attention', { hasText: 'not current' }).waitFor({ state: 'detached' });
      expect(await lowContrast(page)).toMatchObject({ found: [] });
    } finally {
      fault(gateway, 'clear');
    }
    await page.locator('#positions.current').waitFor({ timeout: 60_000 });
    await page.locator('#ready').waitFor();
  });

  it('opened while the terminal is lost, states since when nothing could be read, and shows prices after it', async () => {
    fault(gateway, 'disconnected');
    try {
      await gateway.until('/symbols', ({ status }) => status === 503);
      const { page } = await browser.visit();
      await enterKey(page, gateway.key);
      for (const panel of ['positions', 'orders', 'account', 'money', 'market']) {
        await page.locator(`#${panel}`, { hasText: /Not read for [1-9]\d* s: the reason is stated above/ }).waitFor();
      }
      await page.locator('#not-ready').waitFor();
      expect(await lowContrast(page)).toMatchObject({ found: [] });
      fault(gateway, 'clear');
      await page.locator('#prices.current canvas').waitFor();
      await page.locator('#ticket').waitFor();
      for (const unread of ['Not read for', 'The recorded equity was']) {
        await page.getByText(unread).first().waitFor({ state: 'detached' });
      }
    } finally {
      fault(gateway, 'clear');
    }
  });

  it('states since when trade events are not live, and shows them once the stream is back', async () => {
    await placed({});
    const { page } = await browser.visit();
    await page.route(/\/(events|stream\/trades)/, (route) => route.abort());
    await enterKey(page, gateway.key);
    await openTab(page, 'Events');
    await page.locator('#events.stale', { hasText: 'Not read yet.' }).waitFor();
    await page.locator('#stream-state', { hasText: /^not live for [1-9]\d* s: / }).waitFor();
    await page.unroute(/\/(events|stream\/trades)/);
    await page.locator('#stream-state', { hasText: /^live$/ }).waitFor();
    await page.locator('#events:not(.stale) .event').first().waitFor();
    expect(await page.getByText('Not read yet.').count()).toBe(0);
  });

  it('with the read-only key disables what changes something, and says why', async () => {
    await placed({});
    await placed({ price: 0.95, type: 'BUY_LIMIT' });
    const { page } = await browser.open('look-only');
    await page.locator('#positions tbody tr').first().waitFor();
    await page.locator('#orders tbody tr').first().waitFor();
    await page.locator('#read-only').waitFor();
    await page.locator('#prices').waitFor();
    expect(await page.locator('#ticket').count()).toBe(0);
    const changing = page.getByRole('button', { name: /Halt|Release|Close|Protect|Cancel|Retry|Drop/ });
    expect(await changing.count()).toBeGreaterThan(4);
    for (const button of await changing.all()) expect(await button.isDisabled()).toBe(true);
    await openTab(page, 'System');
    await page.locator('#notifications tbody tr').first().waitFor();
    expect(await changing.count()).toBeGreaterThan(3);
    for (const button of await changing.all()) expect(await button.isDisabled()).toBe(true);
    expect(await lowContrast(page)).toMatchObject({ found: [] });
  });

  it('asks for the key again when the gateway does not accept it any more, and forgets it on request', async () => {
    const { page } = await browser.open();
    const oldKey = (headers: Record<string, string>) => ({ ...headers, authorization: 'Bearer old' });
    await page.route('**/account', (route) => route.continue({ headers: oldKey(route.request().headers()) }));
    await page.getByText('does not accept the key any more').waitFor();
    expect(await page.locator('#account').count()).toBe(0);
    await page.unrouteAll();
    await enterKey(page, gateway.key);
    await page.locator('#account.current').waitFor();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
  });

  it.each(['light', 'dark'] as const)('fits a phone without sideways scrolling, %s', async (colorScheme) => {
    await placed({});
    const { page } = await browser.open(gateway.key, {
      viewport: { width: 360, height: 740 },
      colorScheme,
      hasTouch: true,
    });
    // The halt is within reach of a thumb, on every part of the page.
    const halt = await page.getByRole('button', { name: 'Halt trading' }).boundingBox();
    expect(halt?.y).toBeGreaterThan(660);
    expect(halt?.height).toBeGreaterThanOrEqual(44);
    const card = await page.locator('#positions tbody tr').first().boundingBox();
    const close = await page
      .getByRole('button', { name: /^Close position/ })
      .first()
      .boundingBox();
    expect(close?.height).toBeGreaterThanOrEqual(44);
    expect((close?.x ?? 0) + (close?.width ?? 0)).toBeLessThanOrEqual((card?.x ?? 0) + (card?.width ?? 0));
    await page.getByRole('tab', { name: 'Trade' }).focus();
    for (const tab of ['Trade', 'Strategies', 'Requests', 'Events', 'System']) {
      await page.locator('[aria-selected=true]', { hasText: tab }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
      const wide = `[...document.querySelectorAll('.scroll, .tabs')].filter((box) => box.scrollWidth > box.clientWidth).length`;
      expect(await page.evaluate(wide)).toBe(0);
      const contrast = await lowContrast(page);
      expect(contrast.found).toEqual([]);
      expect(contrast.count).toBeGreaterThan(20);
      await page.keyboard.press('ArrowRight');
    }
  });

  it('shows a position on a phone with its profit and buttons in one view, and the outcome of a close', async () => {
    const ticket = await placed({});
    const { page } = await browser.open(gateway.key, { viewport: { width: 390, height: 844 }, hasTouch: true });
    const row = page.locator(`#positions tr[data-ticket="${ticket}"]`);
    await row.waitFor();
    for (const part of ['[data-label=Symbol]', '[data-label=Profit]', 'button:has-text("Close")']) {
      const box = await row.locator(part).boundingBox();
      expect([part, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 999) <= 390]).toEqual([part, true, true]);
    }
    await row.getByRole('button', { name: /^Close/ }).click();
    await page.locator('dialog').getByRole('button', { name: 'Close' }).last().click();
    const outcome = page.locator('header #latest', { hasText: 'done' });
    await outcome.waitFor();
    expect(await outcome.isVisible()).toBe(true);
    expect(((await page.locator('header').boundingBox())?.height ?? 999) < 200).toBe(true);
    expect(await lowContrast(page)).toMatchObject({ found: [] });
  });

  it('shows the strategies of a daemon, and states that it does not answer', async () => {
    const { page } = await browser.open();
    await page.locator('#attention').getByRole('button', { name: 'the daemon does not answer' }).click();
    await page.locator('#strategies', { hasText: 'The daemon does not answer: connection refused' }).waitFor();
    daemonState = scratch.folder();
    leaveResults(daemonState, 'ema-eurusd', 120);
    const config = withBacktest();
    await DaemonProgram.start(scratch, {
      config,
      stateDir: daemonState,
      env: {
        API_KEY: gateway.key,
        TERMINAL_API_PORT: new URL(gateway.url).port,
        DAEMON_CONTROL_TOKEN: 'control-token',
        DAEMON_CONTROL_PORT: String(daemonPort),
      },
    });
    await page.locator('#strategies tr', { hasText: 'ema-eurusd' }).waitFor();
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    await page.locator('#strategies').getByRole('button', { name: 'ema-eurusd' }).click();
    await page.locator('#strategies h2', { hasText: /^ema-eurusd/ }).waitFor();
    await page.locator('#strategies', { hasText: /Magic\s*41001\s*main\s*demo:EURUSD@M1\s*fast\s*5/ }).waitFor();
    await page.locator('#strategy-log li', { hasText: 'running' }).first().waitFor();
    // The equity that the daemon recorded, and the report that its configuration names, of the same settings.
    const results = page.locator('#strategy-results');
    await results.getByRole('img', { name: /^Equity of the strategy from .* changed by [\d,]+\.\d\d$/ }).waitFor();
    await results.getByRole('img', { name: /^Equity of the backtest from 2023-02-\d\d .* to 2023-02-07/ }).waitFor();
    await results.getByText('It ran with the settings of the strategy that runs.').waitFor();
    expect(await results.locator('tr', { hasText: 'Change of equity' }).innerText()).toMatch(
      /119\.00\s+-?[\d,]+\.\d\d/,
    );
    expect(await lowContrast(page)).toMatchObject({ found: [] });
    await results.getByRole('button', { name: '90 days' }).click();
    await results.getByRole('img', { name: /^Equity of the strategy/ }).waitFor();
    expect(await results.locator('tr', { hasText: 'Closed trades' }).innerText()).toMatch(/[\d–]\s+\d/);
    writeFileSync(config, readFileSync(config, 'utf8').replace('fast: 5', 'fast: 6'));
    daemonCommand('reload', '--state-dir', daemonState);
    await results.getByRole('button', { name: '7 days' }).click();
    await results.getByText('It ran with other settings (param fast)').waitFor({ timeout: 60_000 });
    writeFileSync(config, readFileSync(config, 'utf8').replace('fast: 6', 'fast: 5'));
    daemonCommand('reload', '--state-dir', daemonState);
    await page.getByRole('button', { name: 'All strategies' }).click();
    await page.locator('#strategies tr', { hasText: 'ema-eurusd' }).waitFor();
  });

  it.each(looks)('is accessible in all its parts, as is the report on a strategy: %j', async (look) => {
    await placed({});
    const { page } = await browser.visit(look);
    expect(await violations(page)).toEqual([]);
    await enterKey(page, gateway.key);
    await page.locator('#account.current').waitFor();
    await page.locator('#money .chart').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('#ticket').getByRole('button', { name: 'Buy' }).click();
    await page.locator('dialog[open]').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await openTab(page, 'Strategies');
    await page.locator('#strategies').getByRole('button', { name: 'ema-eurusd' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.locator('#strategies').getByRole('button', { name: 'ema-eurusd' }).click();
    await page.locator('#strategy-log li').first().waitFor();
    await page.locator('#strategy-results table').first().waitFor();
    expect(await violations(page)).toEqual([]);
    for (const tab of ['Requests', 'Events', 'System']) {
      await openTab(page, tab);
      await page.locator('[role=tabpanel] section').first().waitFor();
      expect(await violations(page)).toEqual([]);
    }
    await page.goto(`file://${liveReport()}`);
    await page.getByText('What this page cannot know').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });

  /** The configuration of the demo, with the report of a backtest of its strategy. */
  function withBacktest(): string {
    const folder = scratch.folder();
    const [config, report] = [join(folder, 'daemon.yaml'), join(folder, 'report.json')];
    const demo = readFileSync(join(repository, 'strategies/demo.yaml'), 'utf8');
    const named = demo.replace('capital: 10000', 'capital: 10000\n    backtest: report.json');
    writeFileSync(config, named.replace('./ema-cross.ts', join(repository, 'strategies/ema-cross.ts')));
    const data = priceFiles.map((file) => `EURUSD=${file}`).join(',');
    const run = ['--strategy', 'ema-eurusd', '--data', data, '--to', '2023-02-08', '--out', report];
    daemonCommand('backtest', '--config', config, ...run);
    return config;
  }

  function daemonCommand(...line: readonly string[]): void {
    const main = join(repository, 'dist/apps/daemon/src/main.js');
    const env = { ...bareEnvironment(), API_KEY: gateway.key, TERMINAL_API_PORT: new URL(gateway.url).port };
    const { status, stderr } = spawnSync(process.execPath, [main, ...line], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }

  /** The page of `daemon report` on the strategy of the demo. */
  function liveReport(): string {
    const html = join(daemonState, 'report.html');
    const config = join(repository, 'strategies/demo.yaml');
    daemonCommand('report', 'ema-eurusd', '--config', config, '--state-dir', daemonState, '--html', html);
    return html;
  }

  it('halts, cancels every order and closes every position at once, and states what was done', async () => {
    await placed({});
    await placed({ price: 0.95, type: 'BUY_LIMIT' });
    const { page } = await browser.open();
    await page.getByRole('button', { name: 'Halt trading' }).click();
    await page.getByLabel('Also cancel every order and close every position').check();
    await page.locator('dialog').getByRole('button', { name: 'Halt trading' }).click();
    const halting = page.locator('#writes li', {
      hasText: 'halt trading, cancel every order and close every position',
    });
    await halting.and(page.locator('[data-state=done]')).waitFor();
    expect(await halting.innerText()).toMatch(/; cancelled [1-9]\d*, closed [1-9]\d*, not done 0/);
    await page.getByText('No open positions.').waitFor();
    await page.getByText('No pending orders.').waitFor();
    expect((await gateway.call('/positions_total')).body.total).toBe(0);
  });
});
