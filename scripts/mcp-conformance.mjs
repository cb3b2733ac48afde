// `node scripts/mcp-conformance.mjs`: the server scenarios of the protocol's conformance suite against the built MCP server, over HTTP.
// The suite comes from the npm registry and needs Node 22. Its other scenarios call tools that only its own example server has.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const suite = '@modelcontextprotocol/conformance@0.1.16';
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const key = 'the-key-of-the-conformance-suite';
const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));

// No gateway listens there: none of these scenarios asks it.
const own = {
  API_KEY: 'unused',
  GATEWAY_URL: 'http://127.0.0.1:9',
  MCP_STATE_DIR: folder,
  MCP_HTTP_KEY: key,
  MCP_HTTP_PORT: '0',
};
const server = spawn(process.execPath, [join(root, 'dist/apps/mcp/src/main.js'), 'serve', '--http'], {
  env: { ...process.env, ...own },
  stdio: ['ignore', 'inherit', 'pipe'],
});
const port = await new Promise((resolve, reject) => {
  server.once('exit', () => reject(new Error('the MCP server did not start')));
  createInterface({ input: server.stderr }).on('line', (line) => {
    const [, found] = /:(\d+)\/mcp$/.exec(line) ?? [];
    if (found) resolve(Number(found));
  });
});
// The suite cannot send a key.
const proxy = createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
  const onward = request({ port, path: incoming.url, method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const url = `http://localhost:${proxy.address().port}/mcp`;
const failed = [];
for (const scenario of scenarios) {
  const args = ['--yes', suite, 'server', '--url', url, '--scenario', scenario];
  const code = await new Promise((resolve) =>
    spawn('npx', args, { cwd: folder, stdio: 'inherit' }).once('exit', resolve),
  );
  if (code !== 0) failed.push(scenario);
}
proxy.close();
server.kill();
rmSync(folder, { recursive: true, force: true });
console.log(
  `${scenarios.length - failed.length} scenarios passed, ${failed.length} failed${failed.map((name) => `\n  ${name}`).join('')}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
