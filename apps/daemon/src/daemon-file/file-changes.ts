import { isDeepStrictEqual } from 'node:util';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import type { DaemonFile, GatewaySpec } from './daemon-file';

export interface StrategyChange {
  readonly spec: StrategySpec;
  /** Whether the change affects its thread or its orders; other changes only move a limit. */
  readonly swaps: boolean;
}

/** Differences between the active configuration and the new one. */
export interface FileChanges {
  readonly gateways: Differences<GatewaySpec, GatewaySpec>;
  readonly strategies: Differences<StrategySpec, StrategyChange>;
  readonly portfolios: Differences<PortfolioSpec, PortfolioSpec>;
}

export interface Differences<Spec, Change> {
  readonly added: readonly Spec[];
  /** As they run. */
  readonly removed: readonly Spec[];
  /** As they are to be. */
  readonly changed: readonly Change[];
  /** As they are in both. */
  readonly same: readonly Spec[];
}

/** Members of a strategy that affect neither its thread nor its requests. */
const limits = ['capital', 'risk', 'onMismatch', 'onLostStop', 'runsOn', 'backtest'] as const;

export function changesBetween(before: DaemonFile, after: DaemonFile): FileChanges {
  const strategies = differences(before.strategies, after.strategies);
  const changed = strategies.changed.map((spec) => {
    const was = before.strategies.find(({ name }) => name === spec.name);
    return { spec, swaps: !was || !isDeepStrictEqual(withoutLimits(was), withoutLimits(spec)) };
  });
  return {
    gateways: differences(before.gateways, after.gateways),
    strategies: { ...strategies, changed },
    portfolios: differences(before.portfolios, after.portfolios),
  };
}

/** Parts of a gateway's change that cannot be applied while requests to it are in flight; empty if all can. */
export function fixedMembers(before: GatewaySpec, after: GatewaySpec): readonly string[] {
  return (['url', 'apiKeyEnv'] as const).filter((member) => before[member] !== after[member]);
}

function differences<Spec extends { readonly name: string }>(
  before: readonly Spec[],
  after: readonly Spec[],
): Differences<Spec, Spec> {
  const was = new Map(before.map((spec) => [spec.name, spec]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !was.has(name)),
    removed: before.filter(({ name }) => !names.has(name)),
    changed: after.filter((spec) => was.has(spec.name) && !isDeepStrictEqual(was.get(spec.name), spec)),
    same: after.filter((spec) => isDeepStrictEqual(was.get(spec.name), spec)),
  };
}

function withoutLimits(spec: StrategySpec): Partial<StrategySpec> {
  return Object.fromEntries(Object.entries(spec).filter(([member]) => !limits.some((limit) => limit === member)));
}
