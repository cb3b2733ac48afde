import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { callTool } from '../../apps/mcp/src/testing/call-tool';
import { GatewayProgram } from './programs/gateway-program';
import { mcpEntry, McpProgram } from './programs/mcp-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment } from './programs/started-program';

const policy = `magic: 777
without_person:
  actions: [open]
  symbols: [EURUSD]
  max_lots: 0.1
  max_open_lots: 1
  max_loss: 100000
  max_requests_per_hour: 5
  max_requests_per_day: 5
`;

describe('the built MCP server', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let env: Record<string, string>;
  const passphrase = 'a passphrase of the operator';
  const keyFile = join(scratch.folder(), 'approval-key.pem');

  beforeAll(async () => {
    gateway = await GatewayProgram.startReady(scratch);
    const folder = scratch.folder();
    const file = join(folder, 'policy.yaml');
    const made = run(['approval-key', keyFile], `${passphrase}\n${passphrase}\n`, bareEnvironment());
    const [line = ''] = /^approval_keys: .*$/m.exec(made.stdout) ?? [];
    writeFileSync(file, `${policy}${line}\n`);
    const own = { GATEWAY_URL: gateway.url, API_KEY: gateway.key, MCP_STATE_DIR: folder, MCP_POLICY_FILE: file };
    env = { ...bareEnvironment(), ...own };
  });

  afterAll(() => scratch.clear());

  const run = (args: readonly string[], input = '', changes: Record<string, string> = {}) =>
    spawnSync(process.execPath, [mcpEntry, ...args], { env: { ...env, ...changes }, input, encoding: 'utf8' });

  const connect = (mode: 'auto' | 'legacy'): Promise<McpProgram> => McpProgram.start(scratch, env, mode);

  const order = async (client: Client, volume: number): Promise<unknown> => {
    const { ask } = (await callTool(client, 'get_quote', { symbol: 'EURUSD' })).content;
    const sl = Number((Number(ask) - 0.01).toFixed(5));
    return (await callTool(client, 'preview_order', { symbol: 'EURUSD', type: 'BUY', volume, sl })).content['handle'];
  };

  it('sends a handle once, although the server is killed and another client issues the call again', async () => {
    const first = await connect('auto');
    const handle = await order(first.client, 0.1);
    const { content } = await callTool(first.client, 'execute_order', { handle });
    expect(content).toMatchObject({ status: 'done', approved_by: 'policy' });
    expect(run(['serve']).stderr).toContain('another mcp process is using');
    await first.kill();
    const second = await connect('legacy');
    const { client } = second;
    expect((await callTool(client, 'execute_order', { handle })).content).toMatchObject({
      status: 'done',
      repeated: true,
    });
    expect((await callTool(client, 'list_positions')).content).toMatchObject({ total: 1 });

    const large = await order(client, 0.5);
    expect((await callTool(client, 'execute_order', { handle: large })).content['status']).toBe('needs_person');
    expect(run(['pending']).stdout).toContain(`${String(large)}  waits`);
    const approve = (typed: string) => run(['approve', String(large), '--key', keyFile], typed);
    const words = 'BUY 0.5 EURUSD';
    expect(approve('yes\n')).toMatchObject({ status: 1 });
    expect(approve('')).toMatchObject({ status: 1 });
    expect(run(['approve', String(large)], `${words}\n`)).toMatchObject({ status: 2 });
    const wrong = approve(`${words}\nanother passphrase\n`);
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('the passphrase is wrong') });
    expect((await callTool(client, 'execute_order', { handle: large })).content['status']).toBe('needs_person');
    const approved = approve(`${words}\n${passphrase}\n`);
    expect(approved).toMatchObject({ status: 0, stderr: '' });
    expect(approved.stdout).not.toContain(passphrase);
    const done = await callTool(client, 'execute_order', { handle: large });
    expect(done.content).toMatchObject({ status: 'done', approved_by: 'terminal' });
    expect((await client.listResources()).resources.map(({ name }) => name)).toContain('mcp');
    await second.kill();
  });

  it('answers what follows garbage, each request once, and ends with its input', async () => {
    const line = (id: unknown, method: string, params: object = {}): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const call = (id: string, args: unknown): string => line(id, 'tools/call', { name: 'get_policy', arguments: args });
    const nested = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const clientInfo = { name: 'raw', version: '1' };
    const garbage = [
      line('begin', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
      ...[
        'no json\n',
        '\0\0\n',
        '\u{d800}\n',
        '{"jsonrpc":"2.0"\n',
        '[]\n',
        `[${line(1, 'tools/list').trim()}]\n`,
        '\r\n',
      ],
      ...['null', '{}', '1.5', '1e400'].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`),
      ...['{"jsonrpc":"1.0","id":2,"method":"tools/list"}\n', '{"jsonrpc":"2.0","id":"begin","result":{}}\n'],
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}\n',
      line('x'.repeat(100_000), 'ping'),
      line('prototype', 'tools/call', { name: '__proto__', arguments: {} }),
      line('nested', 'tools/call', {}).replace('"params":{}', `"params":{"name":"get_policy","arguments":${nested}}`),
      ...[[], null, 'x', { approved: true }].map((args, at) => call(`wrong-${at}`, args)),
      ...Array.from({ length: 1_000 }, (_, at) => call(`right-${at}`, {})),
    ];
    const child = spawn(process.execPath, [mcpEntry], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    scratch.undo(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    let stdout = '';
    const answered = new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        if (stdout.split('"id":"right-').length > 1_000) resolve();
      }),
    );
    // What is still under way when its input ends is not answered.
    child.stdin.write(garbage.join(''));
    await answered;
    child.stdin.end();
    const [status] = await ended;
    const answers = stdout
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as { id: unknown; result?: { isError?: boolean } });
    const right = answers.filter(({ id, result }) => String(id).startsWith('right-') && result?.isError !== true);
    expect({ status, right: new Set(right.map(({ id }) => id)).size }).toEqual({ status: 0, right: 1_000 });
    expect(right).toHaveLength(1_000);
    const wrong = answers.filter(({ id }) => /^(wrong-|prototype|nested)/.test(String(id)));
    expect(wrong.filter(({ result }) => result !== undefined && result.isError !== true)).toEqual([]);
  });

  it('makes no key over a file that is there, or with a short passphrase', () => {
    const before = readFileSync(keyFile, 'utf8');
    expect(before).toContain('ENCRYPTED');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const typed = `${passphrase}\n${passphrase}\n`;
    expect(run(['approval-key', keyFile], typed)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('EEXIST'),
    });
    expect(readFileSync(keyFile, 'utf8')).toBe(before);
    const other = join(scratch.folder(), 'key');
    for (const wrong of ['short\nshort\n', `${passphrase}\nanother passphrase\n`, '']) {
      expect(run(['approval-key', other], wrong)).toMatchObject({ status: 2 });
      expect(existsSync(other)).toBe(false);
    }
  });

  it('refuses to start with what is wrong, and without the value of a key', () => {
    const file = join(scratch.folder(), 'policy.yaml');
    writeFileSync(file, 'read_onyl: true\nmagic: x\n');
    const { status, stderr, stdout } = run(['serve'], '', { MCP_POLICY_FILE: file });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/read_onyl [^]+magic /);
    expect(run(['serve', '--http'], '', { MCP_HTTP_KEY: 'a-secret' }).stderr).toMatch(
      /MCP_HTTP_KEY must have 24(?![^]*a-secret)/,
    );
    expect(run(['aprove'])).toMatchObject({ status: 2 });
  });
});
