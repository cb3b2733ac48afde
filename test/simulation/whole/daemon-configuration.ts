import type { Configured } from '../../../apps/daemon/src/daemon';
import type { DaemonFile, GatewaySpec } from '../../../apps/daemon/src/daemon-file/daemon-file';
import { DaemonFileError } from '../../../apps/daemon/src/daemon-file/daemon-file-error';
import { account } from '../broker';
import { apiKey } from '../gateway-process';
import { deployedBy, type Deployed } from './deployed-strategies';
import type { StrategyTexts } from './strategy-host';
import type { FleetOrder, ReloadChange, WholePlan } from './whole-steps';

type Applied = Extract<FleetOrder, { readonly kind: 'apply' }>['change'];

/** A host on which a version is refused for a while, as when a variable that it names is not set there. */
export interface Refusal {
  readonly host: number;
  /** In virtual milliseconds. */
  readonly untilMs: number;
}

/** The text of a version in the database. */
export function versionText(file: DaemonFile, refusal: Refusal | null): string {
  return JSON.stringify({ file, refusal });
}

/** Reads a version on a host. @throws DaemonFileError */
export function readVersion(name: string, text: string, host: number, nowMs: number): DaemonFile {
  const { file, refusal } = JSON.parse(text) as { readonly file: DaemonFile; readonly refusal: Refusal | null };
  if (refusal?.host === host && nowMs < refusal.untilMs) {
    throw new DaemonFileError(name, ['gateways.gw0.apiKeyEnv names KEY, which is not set']);
  }
  return file;
}

/** The host name of a gateway. */
export function hostOf(gateway: number): string {
  return `gw${gateway}.test`;
}

/** The configuration file of the daemon, its keys and the strategy files, as their operator has left them. */
export class DaemonConfiguration implements Configured, StrategyTexts {
  private readonly versions = new Map<string, number>();
  private readonly removed = new Set<string>();
  private readonly limits = new Map<string, number>();
  private isBroken = false;
  private readonly gateways: readonly GatewaySpec[];
  private readonly deployed: Deployed;

  /** @param untilMs market time after which no strategy enters anything */
  constructor(plan: WholePlan, untilMs: number) {
    this.gateways = Array.from({ length: plan.gateways }, (_, number) => ({
      name: `gw${number}`,
      url: `http://${hostOf(number)}`,
      apiKeyEnv: 'KEY',
      maxClockSkewMs: number === 0 ? 60_000 : null,
      expect: { login: number === 0 ? null : account.login + number, tradeMode: null },
    }));
    this.deployed = deployedBy(plan, untilMs);
  }

  get names(): readonly string[] {
    return this.deployed.strategies.map(({ name }) => name);
  }

  readFile(): DaemonFile {
    if (this.isBroken) throw new DaemonFileError('daemon.yaml', ['strategies: must be a list']);
    const left = this.deployed.strategies.filter(({ name }) => !this.removed.has(name));
    const strategies = left.map((spec) => {
      const maxOpenPositions = this.limits.get(spec.name);
      return maxOpenPositions === undefined ? spec : { ...spec, risk: { ...spec.risk, maxOpenPositions } };
    });
    const portfolios = this.deployed.portfolios.map((portfolio) => {
      return { ...portfolio, children: portfolio.children.filter((name) => !this.removed.has(name)) };
    });
    return { gateways: this.gateways, strategies, portfolios };
  }

  apiKey(): string {
    return apiKey;
  }

  versionOf(path: string): number {
    return this.versions.get(path) ?? 1;
  }

  /** @param which a share of the strategies */
  change(change: ReloadChange | Applied, which: number): void {
    const { strategies } = this.deployed;
    const spec = strategies[Math.floor(which * strategies.length)];
    if (!spec) return;
    this.isBroken = change === 'refused';
    switch (change) {
      case 'text':
        this.versions.set(spec.module, this.versionOf(spec.module) + 1);
        return;
      case 'limits':
        this.limits.set(spec.name, 2 + Math.floor(which * 10));
        return;
      case 'remove':
        this.removed.add(spec.name);
        return;
      case 'bring back':
        this.removed.clear();
        return;
      case 'refused':
      case 'same':
        return;
    }
  }

  /** Everything is configured again. */
  calm(): void {
    this.isBroken = false;
    this.removed.clear();
  }
}
