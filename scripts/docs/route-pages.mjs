import { examples } from './route-examples.mjs';
import { languages } from './route-languages.mjs';

const block = (fence, code) => `\`\`\`${fence}\n${code}\n\`\`\`\n`;
const anchorOf = (route) =>
  route
    .toLowerCase()
    .replace(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');

/** `METHOD /path` of every route of an OpenAPI document, with its operation. */
function operationsOf(document) {
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
}

/** @throws Error naming the routes that have no example, and the examples that have no route */
function requireComplete(operations) {
  const shown = new Set(examples.map(({ route }) => route));
  const missing = [...operations.keys()].filter((route) => !shown.has(route));
  const unknown = [...shown].filter((route) => !operations.has(route));
  if (missing.length + unknown.length === 0) return;
  throw new Error(
    `scripts/docs/route-examples.mjs: no example of ${missing.join(', ') || '-'}; no route ${unknown.join(', ') || '-'}`,
  );
}

/** docs/routes.md: each route of the OpenAPI document with an example in each language. */
export function routesPage(document) {
  const operations = operationsOf(document);
  requireComplete(operations);
  const rows = [...operations].map(([route, { summary }]) => `| [\`${route}\`](#${anchorOf(route)}) | ${summary} |`);
  const sections = examples.map((example) => {
    const heading = example.title ? `${example.route}: ${example.title}` : example.route;
    const codes = languages.map(({ fence, example: write }) => block(fence, write(example)));
    return [`## ${heading}\n`, ...codes].join('\n');
  });
  return [
    '# Every route, in three languages\n',
    'Give each trade request an `Idempotency-Key`: make it once for each decision, and repeat the request under it ([rules](trade-path.md#rules-for-a-bot)).',
    '`X-Expect-Login: 100001` refuses another account, and `X-Fence: trend;7` another holder of a strategy.\n',
    'Parameters, answers and schemas are at `/apidocs`, errors in [errors.md](errors.md). The examples continue each other: `KEY`, `POSITION`,',
    '`ORDER` and `JOURNAL` are set by earlier ones.\n',
    '| route | what it does |\n|---|---|',
    ...rows,
    '\n## Before the examples\n',
    'The key of the gateway is in `API_KEY`: `export API_KEY=$(cat .data/api-key)` after `npm start`.\n',
    ...languages.map(({ fence, preamble }) => block(fence, preamble)),
    ...sections,
  ].join('\n');
}

/** docs/errors.md: each error type with its status, meaning and remedy. */
export function errorsPage({ statusOfErrorType, errorMeanings }) {
  const rows = Object.entries(statusOfErrorType)
    .sort(([, a], [, b]) => a - b)
    .map(([type, status]) => {
      const { meaning, remedy } = errorMeanings[type];
      return `| ${status} | \`${type}\` | ${meaning} | ${remedy} |`;
    });
  return [
    '# Errors\n',
    'Every error of the gateway has this form, and one of the types below. `request_id` is in the header `X-Request-ID` and in the log.\n',
    block(
      'json',
      '{"ok": false, "error": "a text for people", "error_type": "a word for programs", "request_id": "..."}',
    ),
    'A 4xx other than 409 proves that nothing was done. 409 `idempotency_in_progress`, a 5xx and no answer do not: repeat, or',
    '[reconcile](questions/unknown-outcome.md). **Repeat** means: send the same request under the same key, after the time in `Retry-After`. A 4xx to',
    'a repetition proves nothing about the first send, unless it is `broker_rejected` or `key_void`: make the key void to be certain',
    '([rules](trade-path.md#rules-for-a-bot)).\n',
    '| status | `error_type` | meaning | what to do |\n|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
