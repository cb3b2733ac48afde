import { Controller, Get, Param, Query } from '@nestjs/common';
import { assumptionsText } from '../backtest/broker-terms';
import { StoredReports, type StoredReport } from '../backtest/stored-report';
import { Daemon } from '../daemon';
import { areEqual, settingsOfPortfolio, settingsOfStrategy, type ComparedSetting } from './backtest-settings';
import { requireHostScope } from './fleet-scope';
import { strategyNamed } from './named';
import { isoOf } from './snapshots';

/** The report that the configuration names for a strategy or portfolio, beside what runs. */
@Controller('backtest')
export class BacktestController {
  private readonly reports = new StoredReports();

  constructor(private readonly daemon: Daemon) {}

  @Get(':name')
  async one(@Param('name') name: string, @Query('scope') scope: unknown): Promise<object> {
    requireHostScope(scope);
    const portfolio = this.daemon.portfolios.find(({ spec }) => spec.name === name);
    if (portfolio === undefined) return this.ofStrategy(name);
    return this.answer(name, portfolio.spec.backtest, (stored) => settingsOfPortfolio(portfolio, stored));
  }

  @Get(':portfolio/:alias')
  async child(
    @Param('portfolio') portfolio: string,
    @Param('alias') alias: string,
    @Query('scope') scope: unknown,
  ): Promise<object> {
    requireHostScope(scope);
    return this.ofStrategy(`${portfolio}/${alias}`);
  }

  private ofStrategy(name: string): Promise<object> {
    const strategy = strategyNamed(this.daemon, name);
    return this.answer(name, strategy.spec.backtest, (stored) => settingsOfStrategy(strategy, stored));
  }

  private async answer(
    name: string,
    file: string | undefined,
    settingsOf: (stored: StoredReport) => readonly ComparedSetting[],
  ): Promise<object> {
    const none = { name, file: file ?? null, problem: null, writtenAt: null, report: null, settings: [], isSame: null };
    const read = file === undefined ? null : await this.reports.read(file).catch(problemOf);
    if (read === null) return none;
    if (typeof read === 'string') return { ...none, problem: read };
    const settings = settingsOf(read);
    const report = { ...read.report, broker: assumptionsText(read.report.assumptions) };
    return { ...none, writtenAt: isoOf(read.writtenMs), report, settings, isSame: areEqual(settings) };
  }
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
