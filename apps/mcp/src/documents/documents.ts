import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A page of docs/. */
export interface DocumentPage {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** Beside the built program, and where the sources are. */
const folders = [join(__dirname, '../../docs'), join(__dirname, '../../../../docs')];

/** The pages of docs/, by name. */
export function documentPages(): readonly DocumentPage[] {
  const folder = folders.find((path) => existsSync(path));
  if (folder === undefined) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const name = basename(file, '.md');
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text };
  });
}

/** The pages as resources, and the prompts. */
export function registerDocuments(server: McpServer, pages: readonly DocumentPage[]): void {
  for (const { name, title, text } of pages) {
    const uri = `docs://trading/${name}`;
    server.registerResource(name, uri, { title, mimeType: 'text/markdown' }, () => ({
      contents: [{ uri, mimeType: 'text/markdown', text }],
    }));
  }
  prompt(server, 'account_review', 'Review the account', accountReview);
  prompt(server, 'incident_review', 'Find out why the gateway is not ready, or what differs', incidentReview);
  server.registerPrompt(
    'prepare_order',
    {
      title: 'Prepare an order for approval',
      description: 'Choose an order and its stop loss with the person, and preview it.',
      argsSchema: z.object({ wish: z.string().min(1).max(1_000).describe('What to trade, in plain words.') }),
    },
    ({ wish }) => ({ messages: [asUser(`${prepareOrder}\nThe wish:\n${wish}`)] }),
  );
}

const accountReview =
  'Read get_account, list_positions, list_orders, list_limits and reconcile. State balance, equity, margin level, each position with its ' +
  'stop loss, what is at risk, and every difference. Change nothing. Where a read fails, say that it failed.';
const incidentReview =
  'Read get_health, get_readiness, reconcile and list_events, and the resource docs://trading/operation. State what is wrong, since when, ' +
  'what is certain and what is not, and what the person should do. Change nothing.';
const prepareOrder =
  'Read get_policy, get_account, get_symbol and get_quote. Choose a stop loss with the person, call preview_order, and show its request, ' +
  'margin and money at risk. Call execute_order only if the person asked for it.';

function prompt(server: McpServer, name: string, title: string, text: string): void {
  server.registerPrompt(name, { title, description: `${title}. It changes nothing.` }, () => ({
    messages: [asUser(text)],
  }));
}

function asUser(text: string): { role: 'user'; content: { type: 'text'; text: string } } {
  return { role: 'user', content: { type: 'text', text } };
}
