/** The page of the API, from its OpenAPI document: what each route takes and answers. */
export function apiPage(document) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'other'] = operation.tags ?? [];
      groups.set(tag, [...(groups.get(tag) ?? []), { route: `${method.toUpperCase()} ${path}`, operation }]);
    }
  }
  return [
    '# API\n',
    `Version ${document.info.version}. The OpenAPI document is [openapi.json](/openapi.json); a gateway`,
    'serves it at `/apidocs/openapi.json`, with a page to try each route at `/apidocs`. [Every route in three languages](docs/routes.md)',
    'has commands to copy, and [Errors](docs/errors.md) says what each error means.\n',
    ...[...groups].flatMap(([tag, operations]) => [
      `## ${heading(tag)}\n`,
      ...operations.map((operation) => section(operation, document)),
    ]),
  ].join('\n');
}

function heading(tag) {
  const words = tag.replaceAll(/[-_]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function section({ route, operation }, document) {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content?.['application/json']?.schema;
  const [status = '', answer] = Object.entries(responses).find(([one]) => one.startsWith('2')) ?? [];
  const members = Object.values(resolved(answer ?? {}, document).content ?? {}).flatMap(({ schema = {} }) =>
    answerRows(schema, document),
  );
  const errors = Object.keys(responses).filter((one) => /^[345]/.test(one));
  return [
    `### ${route}\n`,
    `${sentence(summary)}${description === '' ? '' : ` ${sentence(description)}`}\n`,
    table(
      ['Parameter', 'In', 'Type', 'Meaning'],
      parameters.map((given) => parameterRow(resolved(given, document), document)),
    ),
    table(['Member of the body', 'Type', 'Meaning'], body === undefined ? [] : memberRows(body, document)),
    folded(`Members of the answer, ${status}`, table(['Member', 'Type', 'Meaning'], members)),
    `Answers \`${status}\`${errors.length === 0 ? '' : `; [errors](docs/errors.md) ${errors.map((one) => `\`${one}\``).join(', ')}`}.\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function parameterRow({ name, in: place, required, schema = {}, description = '' }, document) {
  return [`\`${name}\`${required ? ' (required)' : ''}`, place, typeOf(schema, document), description];
}

function memberRows(schema, document) {
  const whole = resolved(schema, document);
  const variants = whole.oneOf ?? whole.anyOf ?? whole.allOf ?? [];
  const own = Object.entries(whole.properties ?? {}).map(([name, member]) => [
    `\`${name}\`${whole.required?.includes(name) ? ' (required)' : ''}`,
    typeOf(member, document),
    resolved(member, document).description ?? member.description ?? '',
  ]);
  return [...own, ...variants.flatMap((variant) => memberRows(variant, document))];
}

/** The members of an answer, and those of the rows and records in it. */
function answerRows(schema, document, before = '', depth = 0) {
  const { properties = {}, oneOf, anyOf, allOf } = resolved(schema, document);
  const own = Object.entries(properties).flatMap(([name, member]) => {
    const { items, description = member.description ?? '' } = resolved(member, document);
    const path = `${before}${name}`;
    const inner = items === undefined ? [member, `${path}.`] : [items, `${path}[].`];
    const rows = depth === 2 ? [] : answerRows(inner[0], document, inner[1], depth + 1);
    return [
      [`\`${path}\``, rows.length > 0 ? (items ? 'list' : 'record') : typeOf(member, document), description],
      ...rows,
    ];
  });
  const variants = (oneOf ?? anyOf ?? allOf ?? []).flatMap((one) => answerRows(one, document, before, depth));
  const named = new Map([...own, ...variants].reverse().map((row) => [row[0], row]));
  return [...named.values()].reverse();
}

/** A part of the page that is opened when it is needed. */
function folded(title, text) {
  return text === '' ? '' : `::: details ${title}\n${text}:::\n`;
}

function typeOf(schema, document) {
  const {
    type,
    enum: words,
    items,
    oneOf,
    anyOf,
    allOf,
    format,
    minimum,
    maximum,
    nullable,
  } = resolved(schema, document);
  const variants = oneOf ?? anyOf ?? allOf;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (items !== undefined) return `list of ${typeOf(items, document)}`;
  if (variants !== undefined) return [...new Set(variants.map((variant) => typeOf(variant, document)))].join(' or ');
  const bounds = [minimum === undefined ? '' : `from ${minimum}`, maximum === undefined ? '' : `to ${maximum}`];
  const parts = [
    [type].flat().join(' or ') || 'any',
    format ? `(${format})` : '',
    ...bounds,
    nullable ? 'or null' : '',
  ];
  return parts.filter(Boolean).join(' ');
}

function resolved(schema, document) {
  if (schema.$ref === undefined) return schema;
  const path = schema.$ref.replace(/^#\//, '').split('/');
  return path.reduce((at, name) => at[name], document);
}

function table(names, rows) {
  if (rows.length === 0) return '';
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return `${[line(names), `|${'---|'.repeat(names.length)}`, ...rows.map(line)].join('\n')}\n`;
}

function cell(text) {
  return String(text)
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');
}

function sentence(text) {
  return /[.!?]$/.test(text) || text === '' ? text : `${text}.`;
}
