import { examples } from './route-examples.mjs';

const names = /\{(\w+)\}/g;
/** The members of a body as `[name, value]`, where a value in braces is a variable. */
const variableIn = (value) => /^\{(\w+)\}$/.exec(value)?.[1];
const upper = (name) => name.toUpperCase();

function targetOf({ route, path, query = {} }) {
  const [method, template] = route.split(' ');
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return { method, target: (path ?? template) + (pairs.length > 0 ? `?${pairs.join('&')}` : '') };
}

const encoded = (value) =>
  variableIn(value) ? value : encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2C', ',');

/** Each language: how a page begins, and how an example is written. */
export const languages = [
  {
    ...{ name: 'curl', fence: 'sh' },
    preamble: `GATEWAY=http://127.0.0.1:5001
AUTH="Authorization: Bearer $API_KEY"
JSON='Content-Type: application/json'
KEY=curl-$(date +%s)`,
    example: curl,
  },
  {
    ...{ name: 'TypeScript', fence: 'ts' },
    preamble: `const gateway = 'http://127.0.0.1:5001';
const key = \`ts-\${Date.now()}\`;

async function send(method: string, target: string, { body, key }: { body?: unknown; key?: string } = {}): Promise<Response> {
  const headers = new Headers({ authorization: \`Bearer \${process.env.API_KEY}\` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (key !== undefined) headers.set('idempotency-key', key);
  const response = await fetch(gateway + target, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(\`\${method} \${target}: \${response.status} \${await response.text()}\`);
  return response;
}

async function call(method: string, target: string, options: { body?: unknown; key?: string } = {}): Promise<any> {
  return (await send(method, target, options)).json();
}`,
    example: typescript,
  },
  {
    ...{ name: 'Python', fence: 'python' },
    preamble: `import json, os, time
from urllib.request import Request, urlopen

gateway = 'http://127.0.0.1:5001'
key = f'py-{time.time_ns()}'

def send(method, target, body=None, key=None):
    """The open response; an answer that is not 2xx is an HTTPError, whose read() is the error."""
    headers = {'Authorization': f'Bearer {os.environ["API_KEY"]}'}
    if body is not None:
        headers['Content-Type'] = 'application/json'
    if key is not None:
        headers['Idempotency-Key'] = key
    data = None if body is None else json.dumps(body).encode()
    return urlopen(Request(gateway + target, data, headers, method=method), timeout=30)

def call(method, target, body=None, key=None):
    with send(method, target, body, key) as response:
        return json.load(response)`,
    example: python,
  },
];

/** Names that a later example uses; others are not worth a variable. */
const used = new Set(
  examples.flatMap(({ path = '', query = {}, body = {} }) =>
    [...`${path} ${Object.values(query).join(' ')} ${Object.values(body).join(' ')}`.matchAll(names)].map(
      ([, name]) => name,
    ),
  ),
);
const takenBy = ({ take = {} }) => Object.entries(take).find(([name]) => used.has(name));

function curl(example) {
  const { method, target } = targetOf(example);
  const url = `"$GATEWAY${target.replace(names, (_, name) => `$${upper(name)}`)}"`;
  const parts = ['curl -s'];
  if (example.stream) parts[0] = 'curl -sN --max-time 2';
  if (method !== 'GET' && !(method === 'POST' && example.body)) parts.push(`-X ${method}`);
  parts.push(url, '-H "$AUTH"');
  if (example.key) parts.push(`-H "Idempotency-Key: $KEY-${example.key}"`);
  const lines = [parts.join(' ')];
  if (example.body) lines.push(`  -H "$JSON" -d ${curlBody(example.body)}`);
  if (example.stream) lines[0] += ' | head -4';
  const command = lines.join(' \\\n');
  const [name, take] = takenBy(example) ?? [];
  if (!name) return command;
  return `${upper(name)}=$(${command} \\\n  | grep -o '${take.pattern}' | head -1 | cut -d'${take.split}' -f${take.part})`;
}

function curlBody(body) {
  const text = JSON.stringify(body);
  if (!/\{\w+\}/.test(text)) return `'${text}'`;
  const escaped = text.replaceAll('"', '\\"');
  // A ticket is a number, an id is a text.
  return `"${escaped.replace(/\\"\{(\w*id|journal)\}\\"/g, (_, name) => `\\"$${upper(name)}\\"`).replace(/\\"\{(\w+)\}\\"/g, (_, name) => `$${upper(name)}`)}"`;
}

function typescript(example) {
  const { method, target } = targetOf(example);
  const quoted = /\{\w+\}/.test(target) ? `\`${target.replace(names, '${$1}')}\`` : `'${target}'`;
  const options = [
    ...(example.body ? [`body: ${literal(example.body, { open: '{ ', close: ' }', name: (name) => name })}`] : []),
    ...(example.key ? [`key: \`\${key}-${example.key}\``] : []),
  ];
  const args = [`'${method}'`, quoted, ...(options.length > 0 ? [`{ ${options.join(', ')} }`] : [])].join(', ');
  if (example.stream) {
    return `for await (const chunk of (await send(${args})).body!) {
  console.log(Buffer.from(chunk).toString());
  break; // a bot goes on, and reconnects with Last-Event-ID
}`;
  }
  if (example.isText) return `console.log(await (await send(${args})).text());`;
  const [name, take] = takenBy(example) ?? [];
  const member = take?.member.replace(/\.(\d+)/g, '[$1]');
  return name ? `const ${name} = (await call(${args})).${member};` : `console.log(await call(${args}));`;
}

function python(example) {
  const { method, target } = targetOf(example);
  const quoted = `${/\{\w+\}/.test(target) ? 'f' : ''}'${target}'`;
  const args = [
    ...[`'${method}'`, quoted],
    ...(example.body ? [`body=${literal(example.body, { open: '{', close: '}', name: (name) => `'${name}'` })}`] : []),
    ...(example.key ? [`key=f'{key}-${example.key}'`] : []),
  ].join(', ');
  if (example.stream) {
    return `with send(${args}) as events:
    print(events.readline().decode())  # a bot goes on, and reconnects with Last-Event-ID`;
  }
  if (example.isText) return `print(send(${args}).read().decode())`;
  const [name, take] = takenBy(example) ?? [];
  const member = take?.member
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `['${part}']`))
    .join('');
  return name ? `${name} = call(${args})${member}` : `print(call(${args}))`;
}

function literal(value, { open, close, name }) {
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, { open, close, name })).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(([key, item]) => `${name(key)}: ${literal(item, { open, close, name })}`);
    return `${open}${members.join(', ')}${close}`;
  }
  return typeof value === 'string' ? (variableIn(value) ?? `'${value}'`) : String(value);
}
