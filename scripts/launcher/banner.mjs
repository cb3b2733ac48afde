import { join } from 'node:path';
import { root } from './commands.mjs';

/** The start-up message: addresses, the API key, the file of the kill switch, and a first order to paste. */
export function banner({ product, health, generatedKey, keyFile, dataDir, settings, symbol = 'EURUSD' }) {
  const key = generatedKey ? `$(cat '${keyFile}')` : '$API_KEY';
  const trading = health.terminal_status === 'connected';
  const authorization = `-H "Authorization: Bearer ${key}"`;
  return `
  API       ${product.url}
${consoleLine(product, settings)}  Docs      ${product.url}/apidocs
  API key   ${generatedKey ? `${generatedKey}  (generated, kept in ${keyFile})` : 'set by API_KEY'}
  Account   ${trading ? `${health.account} on ${settings.TERMINAL_SERVER}` : `not logged in: ${health.last_error ?? health.terminal_status}`}
  Daemon    ${product.controlUrl}  (/list, /status, /metrics)
  Halt      ${settings.KILL_SWITCH_FILE}  (trading is halted while this file exists)
  State     ${dataDir}${faultsLine(settings)}

${health.kill_switch_active ? release(product, authorization) : firstOrder(product, authorization, symbol)}

  Ctrl-C ends both.
`;
}

const firstOrder = ({ url }, authorization, symbol) => `  A first order:

  curl -s ${url}/order ${authorization} -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" -d '{"symbol":"${symbol}","volume":0.1,"type":"BUY"}'`;

/** While trading is halted, every order is refused. */
const release = ({ url }, authorization) => `  Trading is halted. To resume it:

  curl -s -X POST ${url}/kill/release ${authorization}`;

function consoleLine({ url }, { CONSOLE }) {
  return /^(0|false|no|off|disabled)$/i.test(CONSOLE ?? '') ? '' : `  Console   ${url}/console\n`;
}

/** How to make the simulated broker fail, where the settings allow it. */
function faultsLine({ SIM_FAULTS, STATE_DIR }) {
  if (!/^(1|true|yes|on|enabled)$/i.test(SIM_FAULTS ?? '')) return '';
  const isDefault = STATE_DIR === join(root, '.data', 'gateway', 'state');
  const where = isDefault ? '' : ` --state-dir '${STATE_DIR}'`;
  return `\n  Faults    npm run simulator:fault -- list${where}   (--help names all of them)`;
}
