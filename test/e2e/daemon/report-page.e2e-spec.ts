import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { picture } from '../console/console-browser';
import { lowContrast } from '../console/contrast';
import { looks, violations } from '../programs/accessibility';
import { describeWith, requireProgram } from '../programs/needs';
import { priceFiles } from '../programs/prices';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';

/** Pixels of each chart that are not transparent. */
const paintedPixels = `[...document.querySelectorAll('canvas')].map((canvas) => canvas.getContext('2d')
  .getImageData(0, 0, canvas.width, canvas.height).data.filter((value, index) => index % 4 === 3 && value > 0).length)`;
const shownTrades = async (page: Page): Promise<number> => {
  await page.waitForFunction(`document.querySelector('#prices').dataset.trades !== undefined`);
  return Number(await page.locator('#prices').getAttribute('data-trades'));
};

describeWith('chromium')('the page of a backtest in Chromium', () => {
  const scratch = new Scratch();
  let html: string;
  let portfolioHtml: string;
  let searchHtml: string;
  beforeAll(() => {
    const folder = scratch.folder();
    html = join(folder, 'report.html');
    portfolioHtml = join(folder, 'portfolio.html');
    const strategy = join(repository, 'strategies/donchian-stack.ts');
    backtest([strategy, '--data', priceFiles.join(','), '--timeframe', 'M5', '--html', html]);
    // The same prices under the name of the other symbol.
    const data = ['GBPUSD', 'EURUSD'].flatMap((symbol) => priceFiles.map((file) => `${symbol}=${file}`));
    const config = join(repository, 'strategies/majors.yaml');
    backtest(['--config', config, '--portfolio', 'majors', '--data', data.join(','), '--html', portfolioHtml]);
    searchHtml = join(folder, 'search.html');
    const params = JSON.stringify({ volume: 0.1, stopAtr: 2.125, targetAtr: 3.0625 });
    const grid = ['--grid', 'fast=10:20:10,slow=30:50:20', '--params', params, '--timeframe', 'M15'];
    const searched = join(repository, 'strategies/ema-cross.ts');
    daemon('optimize', [searched, '--data', priceFiles.join(','), ...grid, '--html', searchHtml]);
  });
  function backtest(args: readonly string[]): void {
    daemon('backtest', args);
  }
  function daemon(command: string, args: readonly string[]): void {
    const main = join(repository, 'dist/apps/daemon/src/main.js');
    const line = [main, command, ...args, '--to', '2023-02-08'];
    const run = spawnSync(process.execPath, line, { env: bareEnvironment(), encoding: 'utf8' });
    if (run.status !== 0) throw new Error(run.stderr);
  }
  afterAll(() => scratch.clear());

  async function open(
    look: BrowserContextOptions,
    file = html,
  ): Promise<{ page: Page; asked: string[]; errors: string[] }> {
    const browser = await chromium.launch({
      executablePath: requireProgram('chromium'),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    scratch.undo(() => browser.close());
    const context = await browser.newContext(look);
    const asked: string[] = [];
    const errors: string[] = [];
    context.on('request', (request) => asked.push(request.url()));
    const page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`file://${file}`);
    return { page, asked, errors };
  }

  it('asks for nothing, and shows price with trades, equity and drawdown', async () => {
    const { page, asked, errors } = await open({ viewport: { width: 1280, height: 900 } });
    expect(await shownTrades(page)).toBeGreaterThan(20);
    expect(await page.locator('tr[data-trade]').count()).toBe(await shownTrades(page));
    const painted = await page.evaluate<number[]>(paintedPixels);
    expect(painted).toHaveLength(3);
    expect(Math.min(...painted)).toBeGreaterThan(1_000);
    expect(asked).toEqual([`file://${html}`]);
    expect(errors).toEqual([]);
  });

  it('has charts as wide as the page when the window changes', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } });
    const widths = async () =>
      page.evaluate<[number, number][]>(`[...document.querySelectorAll('.chart')].map((box) =>
        [box.clientWidth, box.querySelector('canvas').getBoundingClientRect().width])`);
    await shownTrades(page);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForFunction(`Math.abs(document.querySelector('#equity').clientWidth -
        document.querySelector('#equity canvas').getBoundingClientRect().width) < 2`);
      for (const [box, canvas] of await widths()) expect(Math.abs(box - canvas)).toBeLessThan(2);
    }
  });

  it('needs no sideways scrolling on a phone, in any table of any report', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    for (const file of [html, portfolioHtml, searchHtml]) {
      await page.goto(`file://${file}`);
      await page.locator('h2').first().waitFor();
      const wide = `[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth)
        .map((box) => box.getAttribute('aria-label'))`;
      expect([file, await page.evaluate(wide)]).toEqual([file, []]);
    }
    await page.goto(`file://${html}`);
    await page.locator('#trades').getByRole('button', { name: 'result' }).click();
    expect(await page.locator('#trades').getByRole('row').count()).toBe((await shownTrades(page)) + 1);
    await page
      .getByRole('table')
      .getByRole('cell', { name: /^-?\d+\.\d\d$/ })
      .first()
      .waitFor();
  });

  it('of a search fits a phone, with labels that can be read', async () => {
    const { page } = await open({ viewport: { width: 390, height: 844 } }, searchHtml);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.locator('h2').first().innerText()).toMatch(/^Best set: fast \d+, slow \d+$/);
    expect(await page.locator('.key dt').count()).toBe(8);
    const labels = await page.locator('.value, .time:visible').all();
    expect(labels.length).toBeGreaterThan(6);
    for (const label of labels) {
      const { x = 0, width = 0, height = 0 } = (await label.boundingBox()) ?? {};
      expect(height).toBeGreaterThanOrEqual(10);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    }
  });

  it.each(looks)('is accessible, as are the pages of a portfolio and of a search: %j', async (look) => {
    const { page } = await open(look);
    for (const file of [html, portfolioHtml, searchHtml]) {
      await page.goto(`file://${file}`);
      await page.locator('h2').first().waitFor();
      await page.evaluate(`document.querySelectorAll('details').forEach((fold) => (fold.open = true))`);
      expect(await violations(page)).toEqual([]);
    }
  });

  it('shows the numbers under the pointer and under the keys, and zooms in on a trade', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 900 } });
    const told = () => page.locator('#readout').innerText();
    await page.locator('#prices').focus();
    const last = await told();
    expect(last).toMatch(/2023-02-07 \d\d:\d\d.*O 1\.\d{5}.*equity [\d,]+\.\d\d.*drawdown -?\d+\.\d\d % \(-?[\d,.]+\)/);
    await page.keyboard.press('ArrowLeft');
    expect(await told()).not.toBe(last);
    const all = await shownTrades(page);
    await page.locator('tr[data-trade]').nth(3).click();
    await page.waitForFunction(`Number(document.querySelector('#prices').dataset.trades) < ${all}`);
    await page.locator('#equity').hover({ position: { x: 300, y: 50 } });
    const hovered = await told();
    await page.locator('#equity').hover({ position: { x: 700, y: 50 } });
    expect(await told()).not.toBe(hovered);
    await page.getByRole('button', { name: 'all' }).click();
    await page.waitForFunction(`document.querySelector('#prices').dataset.trades === '${all}'`);
  });

  it('sorts its trades by a click on a head, and saves them as CSV', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
    const results = async () =>
      (await page.locator('#trades td.gain, #trades td.loss').allInnerTexts()).map((text) =>
        Number(text.replaceAll(',', '')),
      );
    const closed = await results();
    const sorted = [...closed].sort((a, b) => a - b);
    const head = page.getByRole('button', { name: 'result' });
    await head.click();
    expect(await results()).toEqual(sorted);
    await head.click();
    expect(await results()).toEqual(sorted.reverse());
    expect(await page.locator('th[aria-sort="descending"]').innerText()).toContain('result');
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#csv').click()]);
    const rows = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(rows).toHaveLength(closed.length + 1);
    expect(rows[1]).toMatch(/^2023-02-0\dT\d\d:\d\d:\d\d\.\d{3}Z,2023-02-0\dT.*,(buy|sell),GBPUSD,/);
    expect(rows.slice(1).map((row) => Number(row.split(',')[9]))).toEqual(closed);
  });

  it.each(['light', 'dark'] as const)(
    'answers on its first screen whether the result is good, %s',
    async (colorScheme) => {
      const { page } = await open({ viewport: { width: 1280, height: 900 }, colorScheme });
      await shownTrades(page);
      const bottom = `document.querySelector('#drawdown').getBoundingClientRect().bottom`;
      expect(await page.evaluate<number>(bottom)).toBeLessThanOrEqual(900);
      expect(await page.locator('.key dt').count()).toBe(8);
      if (colorScheme === 'light') await picture(page, 'report');
      expect(await page.locator('.figures').isVisible()).toBe(false);
      await page.getByText('All figures').click();
      expect(await page.locator('.figures').innerText()).toMatch(/10,000\.00\s+start equity|start equity\s+10,000\.00/);
      expect(await page.locator('#distribution rect').count()).toBeGreaterThan(5);
      expect(await page.locator('#excursions .dots').count()).toBe(2);
      expect(await lowContrast(page)).toMatchObject({ found: [] });
    },
  );

  it('shows months, drawdowns, groups of trades, and buy and hold', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 900 } });
    const titles = await page.locator('h2').allInnerTexts();
    expect(titles).toEqual(
      expect.arrayContaining([
        ...[
          'Compared with buy and hold',
          'Return of each month, %',
          'Drawdowns, the deepest first',
          'By UTC hour of entry',
        ],
        ...['By UTC weekday of entry', 'By symbol', 'By side'],
      ]),
    );
    expect(await page.locator('table.heat td.g, table.heat td.b').count()).toBe(1);
    const hours = page.locator('h2:has-text("By UTC hour of entry") + .scroll');
    expect(await hours.locator('tr').count()).toBeGreaterThan(17);
    const hidden = `[...document.querySelectorAll('.groups .scroll')].map((box) => box.scrollHeight - box.clientHeight)`;
    expect(await page.evaluate<number[]>(hidden)).toEqual([0, 0, 0, 0]);
  });

  it('fits a phone, and is dark where that is asked for', async () => {
    const { page, errors } = await open({ viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await page.evaluate<number>(`document.querySelector('#prices canvas').clientWidth`)).toBeGreaterThan(300);
    const styled = await page.evaluate<string[]>(
      '[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]',
    );
    const colours = styled.map((text) => Number(/\d+/.exec(text)?.[0]));
    expect(colours[0]).toBeGreaterThan(200);
    expect(colours[1]).toBeLessThan(50);
    expect(errors).toEqual([]);
  });

  it('has no empty parts where nothing was traded, and a drawdown of 0', async () => {
    const folder = scratch.folder();
    const [file, quiet] = [join(folder, 'quiet.js'), join(folder, 'quiet.html')];
    const text = `class Params {} module.exports = require('@libs/strategy').defineStrategy({ version: 1, params: Params, create: () => ({ onBar() {} }) });`;
    writeFileSync(file, text);
    backtest([file, '--data', priceFiles.join(','), '--html', quiet]);
    const { page, errors } = await open({ viewport: { width: 1280, height: 900 } }, quiet);
    await page.getByText('No closed trades.').waitFor();
    for (const part of ['Trades by result', 'How far trades went', 'Save as CSV', 'Show all']) {
      expect([part, await page.getByText(part).isVisible()]).toEqual([part, false]);
    }
    const painted = await page.evaluate<number[]>(paintedPixels);
    expect(Math.min(...painted)).toBeGreaterThan(1_000);
    // A row of the canvas that has the colour of a loss from side to side: the line of the drawdown.
    const redPixels = `(() => {
      const canvas = document.querySelector('#drawdown canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((red, at) => at % 4 === 0 && red > 150 && data[at + 1] < 90).length;
    })()`;
    expect(await page.evaluate<number>(redPixels)).toBeGreaterThan(500);
    expect(errors).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  it('shows a portfolio: its strategies, the line of each, and whose each trade is', async () => {
    const { page, asked, errors } = await open(
      { viewport: { width: 1280, height: 900 }, acceptDownloads: true },
      portfolioHtml,
    );
    const names = ['majors/breakout', 'majors/reversion'];
    const rows = page.locator('h2:has-text("Strategies") + .scroll tr');
    expect(await rows.locator('td:first-child').allInnerTexts()).toEqual(names);
    await page.waitForFunction(`document.querySelectorAll('tr[data-trade]').length > 20`);
    const makers = await page.locator('tr[data-trade] td:first-child').allInnerTexts();
    expect(new Set(makers)).toEqual(new Set(names));
    expect(await page.locator('#prices').isVisible()).toBe(false);
    await page.locator('#equity').focus();
    const last = await page.locator('#readout').innerText();
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('#readout').innerText()).not.toBe(last);
    await page.locator('tr[data-trade]').nth(3).click();
    expect(await page.locator('#readout').innerText()).toMatch(/majors\/\w+ (buy|sell) 1\.\d+ → 1\.\d+: /);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#csv').click()]);
    const csv = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(csv[0]).toMatch(/^strategy,opened,closed,/);
    expect(csv.slice(1).map((row) => row.split(',')[0])).toEqual(makers);
    expect(asked).toEqual([`file://${portfolioHtml}`]);
    expect(errors).toEqual([]);
  });
});
