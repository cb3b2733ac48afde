// Health of a container: `healthcheck.cjs PORT_VARIABLE DEFAULT PATH` is 0 when the program in it answers 200 there. The
// request carries the key of API_KEY, or of the file that API_KEY_FILE names, so that /health/ready can be asked too.
const { readFileSync } = require('node:fs');

const [variable, fallback, path] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env[variable] || fallback}${path}`;
const key = process.env.API_KEY || (process.env.API_KEY_FILE && readFileSync(process.env.API_KEY_FILE, 'utf8').trim());
const headers = key ? { authorization: `Bearer ${key}` } : {};
fetch(url, { headers, signal: AbortSignal.timeout(4_000) }).then(
  (response) => process.exit(response.ok ? 0 : 1),
  () => process.exit(1),
);
