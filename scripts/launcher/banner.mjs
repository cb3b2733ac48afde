/** What a person needs to go on: where things are, the key, and a first order to paste. */
export function banner({ product, health, generatedKey, keyFile, dataDir, settings, symbol = 'EURUSD' }) {
  const key = generatedKey ? `$(cat '${keyFile}')` : '$API_KEY';
  const trading = health.terminal_status === 'connected';
  return `
  API       ${product.url}
  Docs      ${product.url}/apidocs
  API key   ${generatedKey ? `${generatedKey}  (generated, kept in ${keyFile})` : 'the one you set in API_KEY'}
  Account   ${trading ? `${health.account} on ${settings.TERMINAL_SERVER}` : `not logged in: ${health.last_error ?? health.terminal_status}`}
  Daemon    ${product.controlUrl}  (/list, /status, /metrics)
  State     ${dataDir}

  A first order:

  curl -s ${product.url}/order -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" -d '{"symbol":"${symbol}","volume":0.1,"type":"BUY"}'

  Ctrl-C ends both.
`;
}
