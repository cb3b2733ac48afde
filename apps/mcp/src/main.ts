#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { version } from '../../../package.json';
import { SystemClock } from '@libs/clock';
import { ownAnswer, parseArguments, UsageError } from '@libs/command-line';
import { SettingsError } from '@libs/settings';
import { StateDirFolderError, StateDirLockedError } from '@libs/state-lock';
import { ApprovalKeyError } from './approval/approval-key';
import { approve, listPending, makeApprovalKey } from './cli/approve.command';
import { readMcpSettings, readStateFolder } from './mcp.config';
import { PolicyFileError } from './policy/policy-in-force';
import { serve } from './serve';
import { HandleStore, HandleStoreError } from './trading/handle.store';
import { momentsOf } from './trading/moment';

const usage = `trading-mcp: an MCP server in front of the gateway

  trading-mcp              serve one client over standard input and output
  trading-mcp serve --http serve over HTTP, with the key in MCP_HTTP_KEY
  trading-mcp pending      list the requests that wait for a person
  trading-mcp approve [HANDLE] --key FILE
                           show a request, or each that waits, and approve it with your key
  trading-mcp approval-key FILE
                           make a key for approvals
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
      return listPending({ openStore: storeOf(process.env), now: momentsOf(new SystemClock()), out });
    case 'approve': {
      const { flags, words } = parseArguments(args, { key: 'text' }, ['HANDLE']);
      const { key: file } = flags;
      if (file === undefined) throw new UsageError('approve needs --key FILE; trading-mcp approval-key makes one');
      const key = (): string => keyFile(() => readFileSync(file, 'utf8'));
      const [openStore, person] = [storeOf(process.env), askingPerson()];
      return approve(words[0], { openStore, now: momentsOf(new SystemClock()), out, key, ask: person });
    }
    case 'approval-key': {
      const [file] = parseArguments(args, {}, ['FILE']).words;
      if (file === undefined) throw new UsageError('approval-key needs the name of the file to write');
      const write = (pem: string): void => keyFile(() => writeFileSync(file, pem, { flag: 'wx', mode: 0o600 }));
      return makeApprovalKey({ write, out, ask: askingPerson() });
    }
    default:
      throw new UsageError(`unknown command ${command}; see trading-mcp help`);
  }
}

function out(line: string): void {
  console.log(line);
}

/** @throws UsageError if there is no such folder */
function storeOf(env: Readonly<Record<string, string | undefined>>): () => HandleStore {
  const folder = readStateFolder(env);
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}: set MCP_STATE_DIR as the server has it`);
  return () => new HandleStore(folder, null);
}

/** @throws UsageError with the system's words if the file cannot be read or written */
function keyFile<Value>(use: () => Value): Value {
  try {
    return use();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Asks over standard input and output. What is typed to a hidden question is not shown. */
function askingPerson(): (question: string, isHidden?: boolean) => Promise<string> {
  let isShown = true;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (isShown) process.stdout.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  // Lines that arrive before their question wait.
  const answers = lines[Symbol.asyncIterator]();
  return async (question, isHidden = false) => {
    process.stdout.write(question);
    isShown = !isHidden;
    const answer = await answers.next();
    isShown = true;
    if (isHidden) process.stdout.write('\n');
    return answer.done === true ? '' : answer.value;
  };
}

const expected = [
  UsageError,
  SettingsError,
  PolicyFileError,
  HandleStoreError,
  ApprovalKeyError,
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
