import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsMarkdown } from '@libs/settings';
import { mcpSettings, readMcpSettings } from './mcp.config';

describe('the settings of the MCP server', () => {
  it('are listed in the documentation', () => {
    const page = readFileSync(join(__dirname, '../../../docs/mcp.md'), 'utf8');
    expect(page).toContain(settingsMarkdown(mcpSettings).trim());
  });

  it('refuse the start without the key of the gateway, and over HTTP without a key of its own', () => {
    expect(() => readMcpSettings({}, false)).toThrow('API_KEY must be set');
    const API_KEY = 'the-key-of-the-gateway-itself';
    expect(readMcpSettings({ API_KEY }, false)).toMatchObject({ API_KEY, MCP_HTTP_HOST: '127.0.0.1' });
    expect(() => readMcpSettings({ API_KEY }, true)).toThrow('MCP_HTTP_KEY must be set');
    expect(() => readMcpSettings({ API_KEY, MCP_HTTP_KEY: 'short' }, true)).toThrow('24 characters');
    expect(() => readMcpSettings({ API_KEY, MCP_HTTP_KEY: API_KEY }, true)).toThrow('must not be');
    expect(() => readMcpSettings({ GATEWAY_URL: 'x', MCP_HTTP_PORT: 'y' }, true)).toThrow(
      /GATEWAY_URL[^]+MCP_HTTP_PORT[^]+API_KEY[^]+MCP_HTTP_KEY/,
    );
  });
});
