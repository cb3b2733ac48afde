import type { Client } from '@modelcontextprotocol/client';

/** An answer of a tool. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Calls a tool; a call that the protocol refuses is an error, too. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  try {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    return { isError, text, content: membersOf(structuredContent) };
  } catch (error) {
    return { isError: true, text: error instanceof Error ? error.message : String(error), content: {} };
  }
}

function membersOf(content: unknown): Record<string, unknown> {
  return typeof content === 'object' && content !== null ? Object.fromEntries(Object.entries(content)) : {};
}
