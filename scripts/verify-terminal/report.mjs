import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes report.json and report.md. Neither holds the key, the account's name or, unless asked, its number. */
export function writeReport(folder, report, secrets) {
  mkdirSync(folder, { recursive: true });
  const clean = withoutSecrets(report, secrets);
  const files = { json: join(folder, 'report.json'), markdown: join(folder, 'report.md') };
  writeFileSync(files.json, `${JSON.stringify(clean, null, 2)}\n`);
  writeFileSync(files.markdown, markdownOf(clean));
  return files;
}

/** The same value with each secret taken out of its texts; a number that is one becomes a text. */
export function withoutSecrets(value, secrets) {
  if (typeof value === 'string') {
    return secrets.reduce((text, { secret, shown }) => (secret ? text.replace(patternOf(secret), shown) : text), value);
  }
  if (typeof value === 'number') return secrets.find(({ secret }) => secret === String(value))?.shown ?? value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSecrets(item, secrets)]));
}

const shortSecret = 8;

/** A short secret counts as a word of its own only: taken out of other words and numbers it would garble the report. */
function patternOf(secret) {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return secret.length < shortSecret
    ? new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, 'g')
    : new RegExp(literal, 'g');
}

function markdownOf({ summary, environment, checks, latencies }) {
  const rows = checks.map(({ group, name, outcome, seen }) => `| ${group} | ${name} | ${outcome} | ${cell(seen)} |`);
  const times = Object.entries(latencies).map(
    ([route, { count, median, p95, max }]) => `| ${route} | ${count} | ${median} | ${p95} | ${max} |`,
  );
  const facts = Object.entries(environment).map(([name, value]) => `- ${name}: ${cell(value)}`);
  return `# Terminal verification

${summary.passed} passed, ${summary.failed} failed, ${summary.unconfirmed} unconfirmed

${facts.join('\n')}

| part | check | outcome | seen |
|---|---|---|---|
${rows.join('\n')}

## Latencies in milliseconds

| route | requests | median | p95 | max |
|---|---|---|---|---|
${times.join('\n')}
`;
}

function cell(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
