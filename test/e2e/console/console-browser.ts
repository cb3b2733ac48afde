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

/** Headers of an answer that a picture of a terminal shows. */
const shownHeaders = /^(HTTP\/|content-type:|idempotent-replayed:)/i;
const terminalStyle = `body{margin:0;padding:1.25rem 1.5rem;background:#16191d;color:#e8eaed;font:15px/1.45 'DejaVu Sans Mono',monospace}
pre{margin:0 0 1.4rem;white-space:pre-wrap;overflow-wrap:anywhere}b{color:#4ccb7a}i{color:#7ab3ff;font-style:normal}`;

/** The picture of a terminal: commands, each with what it printed. */
export async function terminalPicture(
  name: string,
  commands: readonly (readonly [command: string, printed: string])[],
): Promise<void> {
  if (!writesPictures) return;
  const text = (plain: string): string => plain.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'));
  const parts = commands.map(([command, printed]) => {
    const lines = printed.trim().split(/\r?\n/);
    const kept = lines.filter((line) => shownHeaders.test(line) || !/^[\w-]+:/.test(line));
    const marked = text(kept.join('\n')).replace(/idempotent-replayed: true|"(position|total)":\d+/gi, '<b>$&</b>');
    return `<pre><i>$ ${text(command.trim())}</i>\n${marked}</pre>`;
  });
  await htmlPicture(name, { width: 1060, height: 668 }, async (page) => {
    await page.setContent(`<!doctype html><style>${terminalStyle}</style>${parts.join('')}`);
  });
}

/** The picture of a page that is not the console. */
export async function htmlPicture(
  name: string,
  viewport: { readonly width: number; readonly height: number },
  load: (page: Page) => Promise<unknown>,
): Promise<void> {
  if (!writesPictures) return;
  const browser = await launched();
  try {
    const page = await (await browser.newContext({ viewport })).newPage();
    await load(page);
    await picture(page, name);
  } finally {
    await browser.close();
  }
}

function launched(): Promise<Browser> {
  return chromium.launch({
    executablePath: requireProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** One browser for a test file; each page has a context of its own. */
export class ConsoleBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly gateway: GatewayProgram,
  ) {}

  static async start(scratch: Scratch, gateway: GatewayProgram): Promise<ConsoleBrowser> {
    const browser = await launched();
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
