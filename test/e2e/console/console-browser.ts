import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import type { GatewayProgram } from '../programs/gateway-program';
import { requireProgram } from '../programs/needs';
import { observedPage, type ObservedPage } from '../programs/observed-page';
import type { Scratch } from '../programs/scratch';
import { bareEnvironment, repository } from '../programs/started-program';

/** Set to write the pictures in docs/images; a plain run leaves them as they are. */
export const writesPictures = Boolean(process.env.CONSOLE_PICTURES);

export async function picture(shown: Page | Locator, name: string): Promise<void> {
  if (writesPictures) await shown.screenshot({ path: join(repository, `docs/images/${name}.png`) });
}

/** One browser for a test file; each page has a context of its own. */
export class ConsoleBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly gateway: GatewayProgram,
  ) {}

  static async start(scratch: Scratch, gateway: GatewayProgram): Promise<ConsoleBrowser> {
    const browser = await chromium.launch({
      executablePath: requireProgram('chromium'),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    scratch.undo(() => browser.close());
    return new ConsoleBrowser(browser, gateway);
  }

  /** Ends every page: one that stays open goes on reading, and slows the next ones down. */
  async closePages(): Promise<void> {
    await Promise.all(this.browser.contexts().map((context) => context.close()));
  }

  async visit(look: BrowserContextOptions = { viewport: { width: 1280, height: 1000 } }): Promise<ObservedPage> {
    const context = await this.browser.newContext(look);
    return observedPage(context, `${this.gateway.url}/console`);
  }

  /** A page that has its key and shows the account. */
  async open(key = this.gateway.key, look?: BrowserContextOptions): Promise<ObservedPage> {
    const opened = await this.visit(look);
    await enterKey(opened.page, key);
    await opened.page.locator('#account.current').waitFor();
    return opened;
  }
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
}

/** Shows another part of the page. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
}

/** Sets faults of the simulated broker, as `npm run simulator:fault` does. */
export function fault(gateway: GatewayProgram, ...args: readonly string[]): void {
  const main = join(repository, 'dist/libs/simulator/src/cli/fault-main.js');
  const line = [main, ...args, '--state-dir', gateway.stateDir];
  const { status, stderr } = spawnSync(process.execPath, line, { env: bareEnvironment(), encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
