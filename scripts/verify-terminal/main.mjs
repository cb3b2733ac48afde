// `npm run verify:terminal`: checks a gateway in front of a terminal, and writes a report. See docs/real-terminal.md.
// It needs Node alone, so that it runs in the terminal's image as well.
import { randomUUID } from 'node:crypto';
import { arch, platform, release } from 'node:os';
import { readArguments, usage, VerifyError } from './arguments.mjs';
import { Checklist } from './checklist.mjs';
import { Gateway } from './gateway.mjs';
import { readChecks, summaryOf } from './read-checks.mjs';
import { Relay } from './relay.mjs';
import { writeReport } from './report.mjs';
import { TradeChecks } from './trade-checks.mjs';
import { mayNotTrade } from './trade-permission.mjs';

try {
  const options = readArguments(process.argv.slice(2), process.env);
  if (options === null) console.log(usage);
  else process.exitCode = await verify(options);
} catch (error) {
  if (!(error instanceof VerifyError)) throw error;
  console.error(`verify:terminal: ${error.message}\n${usage}`);
  process.exitCode = 2;
}

async function verify(options) {
  const gateway = new Gateway(options.url, options.key);
  const list = new Checklist();
  // Before the gateway connects: it may be waiting for this port.
  const relay = options.relayPort === undefined ? null : await openRelay(options);
  let found = null;
  let refusal = null;
  try {
    found = await readChecks({ gateway, list, options });
    refusal = options.trade && found !== null ? mayNotTrade(found, options) : null;
    if (options.trade && found !== null && refusal === null) {
      const runId = randomUUID().slice(0, 8);
      const { symbol, account } = found;
      await new TradeChecks({ gateway, list, options, symbol, account, runId }).run(relay);
    }
  } finally {
    await relay?.close();
  }
  const files = writeReport(options.out, reportOf(options, gateway, list, found), secretsOf(options, found));
  const [passed, failed, unconfirmed] = ['passed', 'failed', 'unconfirmed'].map((outcome) => list.count(outcome));
  console.log(
    `\n${passed} passed, ${failed} failed, ${unconfirmed} unconfirmed. Report: ${files.markdown}, ${files.json}`,
  );
  if (refusal !== null) {
    console.error(`No order was sent: ${refusal}`);
    return 2;
  }
  return failed > 0 ? 1 : 0;
}

async function openRelay({ relayPort, bridge }) {
  try {
    return await Relay.open(relayPort, bridge);
  } catch (error) {
    throw new VerifyError(`--relay ${relayPort} cannot be opened: ${error.code}`);
  }
}

function reportOf({ trade, relayPort }, gateway, list, found) {
  const { account, health, symbol } = found ?? {};
  const { driver, terminal_build: build } = health?.connection ?? {};
  return {
    summary: { passed: list.count('passed'), failed: list.count('failed'), unconfirmed: list.count('unconfirmed') },
    environment: {
      at: new Date().toISOString(),
      mode: trade ? `with trades${relayPort === undefined ? '' : ', through the relay'}` : 'read-only',
      ...{ gateway: health?.version ?? 'not reached', driver: driver ?? 'unknown', terminal_build: build ?? 'unknown' },
      ...{ node: process.version, system: `${platform()} ${release()} ${arch()}` },
      account: account
        ? {
            ...{ login: account.login, server: account.server, company: account.company, currency: account.currency },
            ...{ leverage: account.leverage, margin_mode: account.margin_mode, trade_mode: account.trade_mode },
          }
        : 'not reached',
      symbol: symbol?.name ?? 'none',
    },
    checks: list.results,
    latencies: Object.fromEntries([...gateway.durations].map(([route, times]) => [route, summaryOf(times)])),
  };
}

function secretsOf({ key, withLogin }, found) {
  const { login, name } = found?.account ?? {};
  return [
    { secret: key, shown: '(key)' },
    { secret: name, shown: '(name)' },
    ...(withLogin || login === undefined ? [] : [{ secret: String(login), shown: '(login)' }]),
  ];
}
