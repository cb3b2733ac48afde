import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export const usage = `Usage: npm run verify:terminal -- [OPTIONS]

Checks a gateway in front of a terminal, and writes a report without secrets. Without --trade it only reads.

  --url URL          the gateway (default: GATEWAY_URL, else http://127.0.0.1:5001)
                     The key is taken from API_KEY, or from the file that API_KEY_FILE names; it is never an argument.
  --symbol NAME      symbol to read and to trade (default: EURUSD, else the first visible one that may be traded)
  --out DIR          folder of report.json and report.md (default: terminal-report)
  --with-login       keep the account number in the report
  --wait SECONDS     how long to wait for the terminal session, and for a quote that moves (60)

  --trade            also send the smallest orders: open with sl and tp, modify, close in part, close, a pending order,
                     an unknown outcome. Only on a demo account, and only with --login.
  --login NUMBER     the account to trade on: has to be the one that is logged in
  --magic NUMBER     magic of these orders (778001); nothing may be open under it
  --relay PORT       listen on this port of 127.0.0.1 between gateway and bridge, to cut the link during a send.
                     The gateway has to run with TERMINAL_LINK_ADDR=127.0.0.1:PORT
  --bridge HOST:PORT where the relay finds the bridge (127.0.0.1:18812)

Exit codes: 0 no check failed, 1 a check failed, 2 the arguments or the account do not permit the run.`;

/** A run that cannot begin; the message is for the operator. */
export class VerifyError extends Error {}

/**
 * The options of a run; null asks for the help.
 * @throws VerifyError naming the argument and its problem
 */
export function readArguments(args, env) {
  const values = parsed(args);
  if (values.help) return null;
  const url = values.url ?? (env.GATEWAY_URL || 'http://127.0.0.1:5001');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new VerifyError(`--url "${url}" is not a URL`);
  if (values.trade && values.login === undefined)
    throw new VerifyError('--trade needs --login, the account to trade on');
  if (!values.trade && values.relay !== undefined) throw new VerifyError('--relay goes with --trade');
  return {
    url: url.replace(/\/+$/, ''),
    key: keyFrom(env),
    symbol: values.symbol,
    out: values.out ?? 'terminal-report',
    withLogin: values['with-login'] === true,
    waitMs: 1_000 * (whole(values.wait, '--wait', 0, 3_600) ?? 60),
    trade: values.trade === true,
    login: whole(values.login, '--login', 1, Number.MAX_SAFE_INTEGER),
    magic: whole(values.magic, '--magic', 1, Number.MAX_SAFE_INTEGER) ?? 778_001,
    relayPort: whole(values.relay, '--relay', 1, 65_535),
    bridge: address(values.bridge ?? '127.0.0.1:18812'),
  };
}

function parsed(args) {
  const text = { type: 'string' };
  const flag = { type: 'boolean' };
  const options = {
    ...{ url: text, symbol: text, out: text, wait: text, login: text, magic: text, relay: text, bridge: text },
    ...{ 'with-login': flag, trade: flag, help: { type: 'boolean', short: 'h' } },
  };
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new VerifyError(error.message.split('. ')[0]);
  }
}

function keyFrom(env) {
  let key = env.API_KEY;
  if (!key && env.API_KEY_FILE) {
    try {
      key = readFileSync(env.API_KEY_FILE, 'utf8').trim();
    } catch (error) {
      throw new VerifyError(`API_KEY_FILE cannot be read: ${error.code}`);
    }
  }
  if (!key) throw new VerifyError('API_KEY is not set, nor API_KEY_FILE');
  return key;
}

function whole(text, name, min, max) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new VerifyError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

function address(text) {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (!host || Number(port) < 1 || Number(port) > 65_535) throw new VerifyError(`--bridge "${text}" is not HOST:PORT`);
  return { host, port: Number(port) };
}
