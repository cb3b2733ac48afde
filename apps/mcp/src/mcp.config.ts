import {
  integer,
  list,
  misspeltSettings,
  readSettings,
  requireWebAddress,
  text,
  type SettingProblem,
  type SettingsOf,
} from '@libs/settings';

const keyForm = { pattern: /^[\x21-\x7e]+$/, shape: 'printable ASCII without spaces' } as const;
const shortestHttpKey = 24;

/** Every setting of the MCP server. */
export const mcpSettings = {
  GATEWAY_URL: text({
    meaning: 'URL of the gateway.',
    default: 'http://127.0.0.1:5001',
    check: requireWebAddress,
  }),
  API_KEY: text({
    meaning: 'Key of the gateway. With the read-only key nothing can be traded.',
    secret: true,
    ...keyForm,
  }),
  MCP_STATE_DIR: text({
    meaning: 'Folder of its handles and approvals. Each running server needs one of its own.',
    default: '.data/mcp',
  }),
  MCP_POLICY_FILE: text({ meaning: 'Policy file. Without one, a person has to approve every request.' }),
  MCP_HTTP_KEY: text({
    meaning: `Key of its own HTTP interface; ${shortestHttpKey} characters or more. Needed with \`--http\`.`,
    secret: true,
    ...keyForm,
  }),
  MCP_HTTP_HOST: text({ meaning: 'Address of its HTTP interface.', default: '127.0.0.1' }),
  MCP_HTTP_PORT: integer({ meaning: 'Port of its HTTP interface.', default: 5004, min: 0, max: 65_535 }),
  MCP_ALLOWED_HOSTS: list({
    meaning: 'Host names, besides those of this machine, that a request may name in Host and Origin.',
  }),
};

type Settings = SettingsOf<typeof mcpSettings>;
export type McpSettings = Settings & { readonly API_KEY: string };

/** @throws SettingsError listing all problems */
export function readMcpSettings(env: Readonly<Record<string, string | undefined>>, isHttp: boolean): McpSettings {
  const settings = readSettings(mcpSettings, env, (read) => [
    ...missing(read),
    ...(isHttp ? httpProblems(read) : []),
    ...misspeltSettings(mcpSettings, env),
  ]);
  return { ...settings, API_KEY: settings.API_KEY ?? '' };
}

function missing({ API_KEY }: Partial<Settings>): readonly SettingProblem[] {
  return API_KEY === undefined
    ? [{ name: 'API_KEY', problem: "must be set: the gateway's key, or its file in API_KEY_FILE" }]
    : [];
}

function httpProblems({ API_KEY, MCP_HTTP_KEY }: Partial<Settings>): readonly SettingProblem[] {
  const name = 'MCP_HTTP_KEY';
  if (MCP_HTTP_KEY === undefined) return [{ name, problem: 'must be set to serve over HTTP' }];
  if (MCP_HTTP_KEY.length < shortestHttpKey)
    return [{ name, problem: `must have ${shortestHttpKey} characters or more` }];
  return MCP_HTTP_KEY === API_KEY ? [{ name, problem: "must not be the gateway's API_KEY" }] : [];
}

/** What the commands `pending` and `approve` read. */
export function readStateFolder(env: Readonly<Record<string, string | undefined>>): string {
  return readSettings({ MCP_STATE_DIR: mcpSettings.MCP_STATE_DIR }, env).MCP_STATE_DIR;
}
