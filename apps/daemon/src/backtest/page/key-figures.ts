import { countText, currencyDigits } from '@libs/gateway-client/figure-text';
import { isAnnual, sharpeError } from '../short-run';
import type { FiguredReport } from '../figure-rows';
import { shortNumber, spanText } from '../short-number';
import { escaped, grouped, money as moneyText } from './markup';

/** A figure that is shown large. */
export interface KeyFigure {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** Whether it is good or bad in itself; null for what is neither, or is not known. */
  readonly tone: 'gain' | 'loss' | null;
}

/** The eight figures by which a result is judged. One that is not defined is –. */
export function keyFigures({ figures, account, benchmark }: FiguredReport): readonly KeyFigure[] {
  const digits = currencyDigits(account.currency);
  const money = (amount: number | null): string => moneyText(amount, digits);
  const ofTrades = (note: string): string => (figures.trades === 0 ? 'no closed trades' : note);
  const held = benchmark === null ? [] : [`buy and hold ${percent(benchmark.returnPct)}`];
  const days = countText(figures.tradingDays ?? 0, 'day');
  const annual = isAnnual(figures) ? `${percent(figures.cagrPct)} a year` : `in ${days}`;
  return [
    {
      label: 'Net profit',
      value: `${money(figures.netProfit)} ${account.currency}`.trim(),
      note: openNote(figures, money),
      tone: toneOf(figures.netProfit),
    },
    {
      label: 'Return',
      value: percent(figures.returnPct),
      tone: toneOf(figures.returnPct),
      note: [annual, ...held].join(', '),
    },
    {
      label: 'Max drawdown',
      value: percent(figures.maxDrawdownPct),
      tone: null,
      note: `${money(figures.maxDrawdown)}, longest ${spanText(figures.longestDrawdownDays * 1_440)}`,
    },
    {
      label: 'Sharpe',
      value: sharpeText(figures),
      tone: sharpeTone(figures),
      note: isAnnual(figures)
        ? `Sortino ${shortNumber(figures.sortino)}, Calmar ${shortNumber(figures.calmar)}`
        : `of ${days}; Sortino ${shortNumber(figures.sortino)}`,
    },
    {
      label: 'Profit factor',
      value: shortNumber(figures.profitFactor),
      tone: figures.profitFactor === null ? null : toneOf(figures.profitFactor - 1),
      note: ofTrades(`won ${money(figures.grossProfit)}, lost ${money(Math.abs(figures.grossLoss))}`),
    },
    {
      label: 'Win rate',
      value: percent(figures.winRatePct),
      tone: null,
      note: ofTrades(`average ${money(figures.averageWin)} and ${money(figures.averageLoss)}`),
    },
    {
      label: 'Expectancy per trade',
      value: money(figures.expectancy),
      tone: toneOf(figures.expectancy),
      note: ofTrades(`system quality ${shortNumber(figures.sqn)}`),
    },
    {
      label: 'Trades',
      value: grouped(String(figures.trades)),
      tone: null,
      note: `${figures.longTrades} long, ${figures.shortTrades} short`,
    },
  ];
}

/** The figures as HTML. */
export function keyFigureParts(report: FiguredReport): string {
  const parts = keyFigures(report).map(
    ({ label, value, note, tone }) =>
      `<div><dt>${label}</dt><dd${tone === null ? '' : ` class="${tone}"`}>${escaped(value)}</dd><dd>${escaped(note)}</dd></div>`,
  );
  return `<dl class="key">${parts.join('')}</dl>`;
}

function percent(value: number | null): string {
  return value === null ? '–' : `${moneyText(value)} %`;
}

/** With its standard error where the run is short. */
function sharpeText(figures: FiguredReport['figures']): string {
  const { sharpe } = figures;
  if (sharpe === null || isAnnual(figures)) return shortNumber(sharpe);
  return `${shortNumber(sharpe)} ± ${shortNumber(sharpeError(sharpe, figures))}`;
}

/** None where the error may be all there is. */
function sharpeTone(figures: FiguredReport['figures']): KeyFigure['tone'] {
  const { sharpe } = figures;
  if (sharpe === null) return null;
  const error = isAnnual(figures) ? 0 : (sharpeError(sharpe, figures) ?? 0);
  return Math.abs(sharpe) > error ? toneOf(sharpe) : null;
}

function openNote(
  { startEquity, openProfit, open }: FiguredReport['figures'],
  money: (amount: number | null) => string,
): string {
  const capital = `of ${money(startEquity)}`;
  return open === 0 ? capital : `${capital}; ${money(openProfit)} floating in ${open} open`;
}

function toneOf(value: number | null): KeyFigure['tone'] {
  if (value === null || value === 0) return null;
  return value > 0 ? 'gain' : 'loss';
}
