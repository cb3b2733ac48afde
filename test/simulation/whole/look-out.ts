import { PositionType } from '@libs/terminal-client';
import type { OwnedTicket } from '../../../apps/daemon/src/core/records';
import { isBusy, openOf } from '../../../apps/daemon/src/cli/flatten.command';
import { statusOf } from '../../../apps/daemon/src/control/snapshots';
import type { DaemonApp } from '../../../apps/daemon/src/daemon.app';
import type { ProgramRun } from '../program-process';
import type { VirtualTime } from '../virtual-time';
import type { StrategyRunner } from '../../../apps/daemon/src/strategies/strategy-runner';
import type { DaemonHost } from './daemon-host';
import type { GatewaySite } from './gateway-site';
import { LimitWatch } from './limit-watch';
import { PortfolioWatch } from './portfolio-watch';
import type { GatewaySiteJudge } from './site-judge';
import type { WholeJudge } from './whole-judge';

/** A gateway and what is held against it. */
export interface Place {
  readonly site: GatewaySite;
  readonly judge: GatewaySiteJudge;
  unreachableSinceMs: number | null;
}

interface LookOutWorld {
  readonly time: VirtualTime;
  readonly judge: WholeJudge;
  readonly places: readonly Place[];
  readonly hosts: readonly DaemonHost[];
}

const lookEveryMs = 5_000;
const sampleEveryMs = 1_000;
/** The daemon notices within this time that a gateway does not answer, or is not ready. */
const noticedWithinMs = 45_000;

/** Compares every few seconds what the daemon reports of itself and its gateways with what is so. */
export class LookOut {
  private readonly portfolios = new Map<DaemonHost, PortfolioWatch>();

  private readonly limits: LimitWatch;
  /** When each strategy that is being flattened had something open last, by the clock of its host as it went then. */
  private readonly flattenedSince = new Map<string, { readonly at: string; readonly offMs: number }>();

  constructor(private readonly world: LookOutWorld) {
    this.limits = new LimitWatch(
      world.time,
      world.places.map(({ site }) => site),
    );
  }

  begin(): void {
    this.look();
    this.world.time.schedule(lookEveryMs, () => this.begin());
  }

  /** Prices have to be seen more often. */
  watchLimits(): void {
    const { hosts, judge, time } = this.world;
    for (const host of hosts) {
      const held = host.operator.portfolios.filter(({ spec }) => host.runs(spec.name));
      for (const portfolio of held) judge.report('a portfolio holds its limits', this.limits.look(portfolio));
    }
    time.schedule(sampleEveryMs, () => this.watchLimits());
  }

  /** Another run of the daemon begins. */
  daemonStarts(host: DaemonHost): void {
    this.portfolios.set(host, new PortfolioWatch(this.world.time));
    this.world.judge.trails.begin(new Set(this.strategies.map(({ spec }) => spec.name)));
  }

  private look(): void {
    this.seeHalts();
    this.seeTrails();
    this.seeFlat();
    this.seeLeases();
    for (const place of this.world.places) {
      const { site } = place;
      const isReachable = site.way.isOpen && site.gateway.run?.app != null;
      if (isReachable) place.unreachableSinceMs = null;
      else place.unreachableSinceMs ??= this.world.time.elapsedMs;
    }
    for (const host of this.world.hosts) {
      const held = host.operator.portfolios.filter(({ spec }) => host.runs(spec.name));
      const problems = this.portfolios.get(host)?.look(held, this.world.judge.excusedMs) ?? [];
      this.world.judge.report('a portfolio holds its limits', problems);
      const { run } = host.daemon;
      if (run?.app) void this.readHealth(run, run.app);
    }
  }

  /** Which strategies are halted now. */
  seeHalts(): void {
    for (const { spec, book } of this.strategies)
      this.world.judge.strategySeen(spec.name, book.record.halt?.reason ?? null);
  }

  /** On which hosts units may enter now. */
  private seeLeases(): void {
    const { judge, hosts } = this.world;
    const permitting = new Map<string, string[]>();
    for (const host of hosts) {
      for (const unit of host.permitted) permitting.set(unit, [...(permitting.get(unit) ?? []), host.name]);
    }
    judge.fleet?.permits(permitting);
  }

  /** Whether the trailing stops that were on disk go on. */
  private seeTrails(): void {
    const { places, judge } = this.world;
    const isLongAt = ({ broker, ticket }: OwnedTicket): boolean | null => {
      const site = places.find((place) => place.site.name === broker)?.site;
      const held = site?.broker.book.positions.get(ticket);
      return held ? held.type === PositionType.BUY : null;
    };
    for (const { book } of this.strategies) {
      judge.report('a trailing stop survives a restart', judge.trails.look(book, isLongAt));
    }
  }

  /** Whether each strategy that `daemon flatten` would call flat by now is flat. */
  private seeFlat(): void {
    const { places, judge, hosts } = this.world;
    const all = hosts.flatMap((host) => host.operator.strategies.map((strategy) => ({ host, strategy })));
    for (const { host, strategy } of all.filter((one) => one.host.runs(one.strategy.spec.name))) {
      const { name, magic, streams } = strategy.spec;
      if (strategy.book.record.halt?.flattens !== true) {
        this.flattenedSince.delete(name);
        continue;
      }
      // As the command gets it.
      const status = JSON.parse(JSON.stringify(statusOf(strategy))) as Parameters<typeof openOf>[0];
      const since = this.flattenedSince.get(name);
      const isSet = since?.offMs === host.wallOffMs;
      const isFlat = isSet && openOf(status, since.at).length === 0;
      if (!isSet || isBusy(status)) {
        this.flattenedSince.set(name, { at: new Date(host.wallMs).toISOString(), offMs: host.wallOffMs });
      }
      if (!isFlat) continue;
      const traded = new Set(streams.map(({ broker }) => broker));
      const open = places.flatMap(({ site }) => (traded.has(site.name) ? openUnder(site, magic) : []));
      judge.report(
        'a strategy is called flat only if it is',
        open.map((what) => `${name} is called flat, with ${what}`),
      );
    }
  }

  /** Those that run on the newest holder of their lease. */
  private get strategies(): readonly StrategyRunner[] {
    return this.world.hosts.flatMap((host) => host.operator.strategies.filter(({ spec }) => host.runs(spec.name)));
  }

  private async readHealth(run: ProgramRun<DaemonApp>, { control }: DaemonApp): Promise<void> {
    const askedAtMs = this.world.time.elapsedMs;
    const response = await control.inject({ method: 'GET', url: '/health' });
    if (run.life.isOver || run.life.paused) return;
    const told = response.json<{
      condition: string;
      gateways: { name: string; reachable: boolean; ready: boolean }[];
    }>();
    const beforeMs = askedAtMs - noticedWithinMs - this.world.judge.excusedMs;
    const lasts = (sinceMs: number | null): boolean => sinceMs !== null && sinceMs < beforeMs;
    for (const { site, judge, unreachableSinceMs } of this.world.places) {
      const gateway = told.gateways.find(({ name }) => name === site.name);
      if (!gateway) continue;
      // It may have answered between two looks, and the daemon is right to say so.
      const silentSinceMs = unreachableSinceMs === null ? null : Math.max(unreachableSinceMs, site.way.answeredAtMs);
      const obstacles = { unreachable: lasts(silentSinceMs), halted: lasts(judge.haltedSinceMs) };
      this.world.judge.toldHealth(site.name, { condition: told.condition, ...gateway }, obstacles);
    }
  }
}

/** What the broker has open under a magic number. */
function openUnder({ name, broker: { book } }: GatewaySite, magic: number): string[] {
  const named =
    (what: string) =>
    (row: { readonly ticket: number }): string =>
      `${what} ${row.ticket} on ${name}`;
  const isOwn = (row: { readonly magic: number }): boolean => row.magic === magic;
  return [
    ...[...book.positions.values()].filter(isOwn).map(named('position')),
    ...[...book.orders.values()].filter(isOwn).map(named('order')),
  ];
}
