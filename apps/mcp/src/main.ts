#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { version } from '../../../package.json';
import { ownAnswer, parseArguments, UsageError } from '@libs/command-line';
import { SettingsError } from '@libs/settings';
import { StateDirFolderError, StateDirLockedError } from '@libs/state-lock';
import { approve, listPending } from './cli/approve.command';
import { readMcpSettings, readStateFolder } from './mcp.config';
import { PolicyFileError } from './policy/read-policy-file';
import { serve } from './serve';
import { HandleStore, HandleStoreError } from './trading/handle.store';

const usage = `trading-mcp: an MCP server in front of the gateway

  trading-mcp              serve one client over standard input and output
  trading-mcp serve --http serve over HTTP, with the key in MCP_HTTP_KEY
  trading-mcp pending      list the requests that wait for a person
  trading-mcp approve HANDLE
                           show a request, and approve it
  trading-mcp help | version

Settings: GATEWAY_URL, API_KEY, MCP_STATE_DIR, MCP_POLICY_FILE, MCP_HTTP_KEY, MCP_HTTP_HOST, MCP_HTTP_PORT, MCP_ALLOWED_HOSTS.
docs/mcp.md explains them.`;

async function run(line: readonly string[]): Promise<number> {
  const own = ownAnswer(line, { version, usage, helpOf: () => undefined });
  if (own !== null) {
    console.log(own);
    return 0;
  }
  const [command = 'serve', ...args] = line;
  switch (command) {
    case 'serve': {
      const { flags } = parseArguments(args, { http: 'switch' });
      const isHttp = flags.http === true;
      await serve(readMcpSettings(process.env, isHttp), isHttp, (line) => console.error(line));
      return 0;
    }
    case 'pending':
      parseArguments(args, {});
      return listPending({ store: existingStore(), nowMs: Date.now(), out: (line) => console.log(line) });
    case 'approve': {
      const [handle] = parseArguments(args, {}, ['HANDLE']).words;
      if (handle === undefined) throw new UsageError('approve needs a handle; see trading-mcp pending');
      return approve(handle, { store: existingStore(), nowMs: Date.now(), out: (line) => console.log(line), ask });
    }
    default:
      throw new UsageError(`unknown command ${command}; see trading-mcp help`);
  }
}

function existingStore(): HandleStore {
  const folder = readStateFolder(process.env);
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}: set MCP_STATE_DIR as the server has it`);
  // It removes nothing: only the server knows what it still needs.
  return new HandleStore(folder, 0);
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await Promise.race([
      lines.question(question),
      new Promise<string>((resolve) => lines.once('close', () => resolve(''))),
    ]);
  } finally {
    lines.close();
  }
}

const expected = [
  UsageError,
  SettingsError,
  PolicyFileError,
  HandleStoreError,
  StateDirLockedError,
  StateDirFolderError,
];

void run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isExpected = expected.some((type) => error instanceof type);
    const text = error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
    console.error(`trading-mcp: ${text}`);
    process.exit(2);
  },
);
