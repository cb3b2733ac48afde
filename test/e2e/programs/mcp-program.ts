import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Scratch } from './scratch';
import { repository } from './started-program';

export const mcpEntry = join(repository, 'dist/apps/mcp/src/main.js');

/** The built MCP server as a process of its own, with one client of it. */
export class McpProgram {
  private constructor(
    readonly client: Client,
    private readonly transport: StdioClientTransport,
  ) {}

  /** @param mode the newest generation of the protocol, or the one before it */
  static async start(scratch: Scratch, env: Record<string, string>, mode: 'auto' | 'legacy'): Promise<McpProgram> {
    const transport = new StdioClientTransport({ command: process.execPath, args: [mcpEntry], env, stderr: 'ignore' });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    scratch.undo(() => client.close());
    return new McpProgram(client, transport);
  }

  /** Ends it as a crash does: what its client waits for gets no answer. */
  async kill(): Promise<void> {
    const closed = new Promise<void>((resolve) => (this.client.onclose = resolve));
    process.kill(this.transport.pid ?? 0, 'SIGKILL');
    await closed;
  }
}
