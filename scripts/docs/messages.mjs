// Every text of both programs that a user can see, in one place to be read.
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const sources = ['apps/gateway/src', 'apps/daemon/src', 'libs'];
const isShown = (name) => name.endsWith('.ts') && !/\.spec\.ts$|(^|\/)(testing|bench)\//.test(name);

/** The purpose of a text, from the nearest surrounding construct that determines it. */
const kinds = {
  errors: 'Errors and refusals',
  logs: 'Log lines',
  metrics: 'Help of the metrics',
  settings: 'Settings',
  api: 'Descriptions in the OpenAPI documents',
  other: 'Other texts',
};
const kindOfProperty = {
  problem: 'errors',
  message: 'errors',
  reason: 'errors',
  help: 'metrics',
  meaning: 'settings',
  shape: 'settings',
  accepts: 'settings',
  defaultText: 'settings',
  fallbackText: 'settings',
  description: 'api',
  summary: 'api',
};
const logCalls = new Set(['trace', 'debug', 'log', 'info', 'warn', 'error', 'fatal']);
/** They declare the member of a record: its example, and then its description. */
const fieldCalls = new Set(['integer', 'number', 'text', 'flag', 'oneOf']);
const errorCalls = /Error$|Refused$|Exceeded$|^(fail|refuse|unclear)/;

export function render({ root }) {
  return { '.build/messages.md': messagesPage(root) };
}

function messagesPage(root) {
  const found = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, new Map()]));
  for (const file of files(root)) {
    for (const { kind, text } of textsOf(root, file)) {
      const known = found[kind].get(file) ?? new Set();
      found[kind].set(file, known.add(text));
    }
  }
  const sections = Object.entries(kinds).flatMap(([kind, title]) => [
    `## ${title}\n`,
    ...[...found[kind]].map(
      ([file, texts]) => `${file}\n\n${[...texts].map((text) => `- ${code(text)}`).join('\n')}\n`,
    ),
  ]);
  const head = [
    '# Messages\n',
    'Every text of the gateway, the daemon and their libraries that a user can see, by what it is for and by source file.',
    'It exists to be read: change a text where it stands, then run `npm run docs -- messages`. `{…}` stands for a value.\n',
  ];
  return [...head, ...sections].join('\n');
}

function files(root) {
  return sources
    .flatMap((folder) => readdirSync(`${root}/${folder}`, { recursive: true }).map((name) => `${folder}/${name}`))
    .filter(isShown)
    .sort();
}

function* textsOf(root, file) {
  const source = ts.createSourceFile(file, readFileSync(`${root}/${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
  yield* visit(source);

  function* visit(node) {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    const text = textOf(node);
    if (text !== null) {
      // Parts of a longer text are shown as one.
      if (isSentence(text)) yield { kind: kindOf(node), text };
      return;
    }
    const children = [];
    ts.forEachChild(node, (child) => void children.push(child));
    for (const child of children) yield* visit(child);
  }
}

/** The text of an expression, values as `{name}`; null if it has none. */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => valueOf(expression) + literal.text);
    return node.head.text + spans.join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    if (left === null && right === null) return null;
    return (left ?? valueOf(node.left)) + (right ?? valueOf(node.right));
  }
  return null;
}

function valueOf(expression) {
  const inner = textOf(expression);
  if (inner !== null && ts.isTemplateExpression(expression)) return inner;
  const text = expression.getText().replace(/\s+/g, ' ');
  return text.length > 30 ? '{…}' : `{${text}}`;
}

/** Words of a language, and not a name, a path or a pattern. */
function isSentence(text) {
  return /[a-z]{2,}[,:;]? (\{|[a-z0-9])/i.test(text) && text.trim().split(/\s+/).length > 2;
}

function kindOf(node) {
  for (let at = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (ts.isPropertyAssignment(parent) && parent.initializer === at) {
      const kind = kindOfProperty[parent.name.getText()];
      if (kind !== undefined) return kind;
    }
    if ((ts.isNewExpression(parent) || ts.isCallExpression(parent)) && parent.expression !== at) {
      const callee = parent.expression;
      const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
      if (fieldCalls.has(name)) return parent.arguments.indexOf(at) > 0 ? 'api' : 'other';
      if (ts.isPropertyAccessExpression(callee) && logCalls.has(name)) return 'logs';
      if (errorCalls.test(name)) return 'errors';
    }
    if (ts.isThrowStatement(parent)) return 'errors';
    if (ts.isStatement(parent) || ts.isFunctionLike(parent)) break;
  }
  return 'other';
}

function code(text) {
  const line = text.trim().replace(/\s*\n\s*/g, ' ⏎ ');
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}
