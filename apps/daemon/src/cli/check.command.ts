import { SystemClock } from '@libs/clock';
import { table } from '@libs/command-line';
import { configPath, readStartSettings } from '../daemon.config';
import type { StrategySpec } from '../core/strategy-spec';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import { readApiKey } from '../daemon-file/api-key';
import { GatewaySession, type AccountFacts } from '../gateways/gateway-session';
import { accountUnfitness } from '../live/account-fitness';
import { bundleStrategy } from '../strategies/strategy-bundler';
import { StrategyThread } from '../strategies/strategy-thread';
import type { ThreadHost } from '../strategies/thread-host';
import { workerThreads } from '../strategies/worker-threads';
import { pastText } from '../strategies/worker/warmup';
import { inOneLine } from './in-one-line';
import { argumentsOf, commands } from './commands';

interface Finding {
  readonly what: string;
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** `daemon check`: reads the configuration and loads every strategy; asks the gateways only with `--online`. */
export async function check(args: readonly string[]): Promise<number> {
  const { flags } = argumentsOf(commands.check, args);
  const settings = readStartSettings();
  const file = readDaemonFile(configPath(flags.config, settings), process.env);
  const findings = [
    ...(await checkStrategies(file, {
      watchdogMs: settings.DAEMON_WATCHDOG_MS,
      maxHeapMb: settings.DAEMON_MAX_HEAP_MB,
    })),
    ...(flags.online ? await checkGateways(file) : []),
  ];
  const cells = findings.map(({ what, name, ok, detail }) => [what, name, ok ? 'ok' : 'FAILED', detail]);
  process.stdout.write(
    `${flags.json ? JSON.stringify(findings, null, 2) : table(['WHAT', 'NAME', 'RESULT', 'DETAIL'], cells)}\n`,
  );
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

async function checkStrategies(
  { strategies }: DaemonFile,
  limits: { watchdogMs: number; maxHeapMb: number },
): Promise<Finding[]> {
  const host = await workerThreads();
  const findings: Finding[] = [];
  for (const spec of strategies) findings.push(await checkStrategy(spec, host, limits));
  return findings;
}

async function checkStrategy(
  spec: StrategySpec,
  host: ThreadHost,
  limits: { watchdogMs: number; maxHeapMb: number },
): Promise<Finding> {
  const { name, module, params, streams } = spec;
  const thread = new StrategyThread(host, limits, new SystemClock());
  try {
    const bundle = await bundleStrategy(module);
    const loaded = await thread.load({ name, ...bundle, params, streams, idPrefix: '', state: null });
    return {
      what: 'strategy',
      name,
      ok: true,
      detail: `version ${loaded.version}, ${pastText(loaded)}`,
    };
  } catch (error) {
    return { what: 'strategy', name, ok: false, detail: inOneLine(error) };
  } finally {
    await thread.end();
  }
}

async function checkGateways({ gateways, strategies }: DaemonFile): Promise<Finding[]> {
  const accounts = new Map<string, AccountFacts>();
  const sessions = new Map<string, GatewaySession>();
  const findings = await Promise.all(
    gateways.map(async (spec) => {
      const session = new GatewaySession(spec, readApiKey(spec.apiKeyEnv, process.env));
      try {
        const account = await session.verify();
        accounts.set(spec.name, account);
        sessions.set(spec.name, session);
        const { login, server } = account;
        return { what: 'gateway', name: spec.name, ok: true, detail: `account ${login} on ${server}` };
      } catch (error) {
        return { what: 'gateway', name: spec.name, ok: false, detail: inOneLine(error) };
      }
    }),
  );
  const unfit = strategies.flatMap((spec): Finding[] => {
    const detail = accountUnfitness(spec, strategies, (broker) => accounts.get(broker) ?? null);
    return detail === null ? [] : [{ what: 'accounts of', name: spec.name, ok: false, detail }];
  });
  return [...findings, ...unfit, ...(await checkStreams(strategies, sessions))];
}

/** Streams whose symbol does not exist at their gateway. */
async function checkStreams(
  strategies: readonly StrategySpec[],
  sessions: ReadonlyMap<string, GatewaySession>,
): Promise<Finding[]> {
  const problems = new Map<string, string | null>();
  const findings: Finding[] = [];
  for (const { name, streams } of strategies) {
    for (const { alias, broker, symbol } of streams) {
      const session = sessions.get(broker);
      if (!session) continue;
      const asked = `${broker}:${symbol}`;
      if (!problems.has(asked)) problems.set(asked, await symbolProblem(session, symbol));
      const problem = problems.get(asked) ?? null;
      if (problem !== null) findings.push({ what: 'stream of', name, ok: false, detail: `${alias}: ${problem}` });
    }
  }
  return findings;
}

async function symbolProblem({ client }: GatewaySession, symbol: string): Promise<string | null> {
  try {
    await client.reads.symbolInfo(symbol);
    return null;
  } catch (error) {
    return inOneLine(error);
  }
}
