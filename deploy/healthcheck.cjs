// Health of a container: `healthcheck.cjs PORT_VARIABLE DEFAULT PATH` is 0 when the program in it answers 200 there.
const [variable, fallback, path] = process.argv.slice(2);
const url = `http://127.0.0.1:${process.env[variable] || fallback}${path}`;
fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => process.exit(response.ok ? 0 : 1),
  () => process.exit(1),
);
