import type { DealRecord, StrategyResults } from '@libs/gateway-client';
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { Chart } from './chart';
import { curveSpans } from './curve';
import type { Desk } from './desk';
import { money } from './figures';
import {
  backtestOf,
  closedTrades,
  comparedRows,
  liveResultOf,
  standingOf,
  type LiveResult,
  type ShownBacktest,
} from './strategy-results';
import { ownDeals, timeText, type StrategyRow } from './strategy-view';
import { Cell, Table } from './table';
import { Foreign, Panel } from './text';

interface ResultsPanelProps {
  readonly desk: Desk;
  readonly row: StrategyRow;
  readonly shown: NonNullable<Desk['strategy']['value']>;
}

/** What a strategy earned over time, beside the backtest that the configuration names. */
export function StrategyResultsPanel({ desk, row, shown }: ResultsPanelProps) {
  const { span, feed } = shown.results.value;
  const deals = shown.deals?.reading.value.value ?? null;
  return (
    <Panel id="strategy-results" title="Live and backtest" feed={feed}>
      {(results) =>
        results.daemon === 'reachable' ? (
          <>
            <span class="choices" role="group" aria-label="time shown">
              {curveSpans.map((one) => (
                <button key={one.text} type="button" aria-pressed={one === span} onClick={() => desk.showResults(one)}>
                  {one.text}
                </button>
              ))}
            </span>
            <Results desk={desk} row={row} results={results} deals={span.days > dealDays ? null : deals} />
          </>
        ) : (
          <p class="advice">The daemon does not answer: {results.error}.</p>
        )
      }
    </Panel>
  );
}

/** The deals of a longer time are not read. */
const dealDays = 30;

interface ResultsProps {
  readonly desk: Desk;
  readonly row: StrategyRow;
  readonly results: StrategyResults;
  readonly deals: readonly DealRecord[] | null;
}

function Results({ desk, row, results, deals }: ResultsProps) {
  const { capital } = row;
  const live = useMemo(() => liveResultOf(results, capital), [results, capital]);
  const found = useMemo(() => backtestOf(results), [results]);
  const backtest = typeof found === 'string' ? null : found;
  const own = row['lastTrade'] === null ? [] : deals && ownDeals(row, deals);
  const trades = live === null || own === null ? null : closedTrades(own, Date.parse(live.since));
  const digits = desk.moneyDigits;
  return (
    <>
      <div class="pair">
        <div>
          <h3>Live</h3>
          {live === null ? (
            <p class="none">No readings of this time: the daemon makes one each minute while the result is known.</p>
          ) : live.since === live.until ? (
            <p class="none">
              One reading so far, of {timeText(live.since)} UTC: the line begins with the next, in a minute.
            </p>
          ) : (
            <LiveChart live={live} digits={digits} />
          )}
        </div>
        <div>
          <h3>Latest backtest</h3>
          {typeof found === 'string' ? (
            <p class="none">
              <Foreign text={found} />
            </p>
          ) : (
            <BacktestChart backtest={found} digits={digits} />
          )}
        </div>
      </div>
      {(live !== null || backtest !== null) && (
        <Table headings={['Figure', 'Live', 'Backtest']} isNarrow>
          {comparedRows(live, trades, backtest, digits).map(([label, ofNow, ofPast]) => (
            <tr key={label} role="row">
              <th scope="row" role="rowheader" data-label="Figure" class="text">
                {label}
              </th>
              <Cell label="Live">{ofNow}</Cell>
              <Cell label="Backtest">{ofPast}</Cell>
            </tr>
          ))}
        </Table>
      )}
      {backtest !== null && <Settings backtest={backtest} />}
    </>
  );
}

interface LiveChartProps {
  readonly live: LiveResult;
  readonly digits: number | undefined;
}

function LiveChart({ live, digits }: LiveChartProps) {
  const data = useMemo(
    () =>
      uPlot.join(
        [live.balance, live.equity].map((points): uPlot.AlignedData => [
          points.map(([atMs]) => atMs / 1_000),
          points.map((point) => point[1]),
        ]),
      ),
    [live],
  );
  return (
    <>
      <Chart
        label={`Equity of the strategy from ${timeText(live.since)} to ${timeText(live.until)}, changed by ${money(live.earned, digits)}`}
        data={data}
        lines={[{ colour: '--dim', isStepped: true }, { colour: '--line' }]}
        height={180}
        valueText={(value) => money(value, digits)}
      />
      <p class="note">
        Grey: its capital and what it realized. Blue: with what its positions were worth; a gap is a time at which that
        was not known.
      </p>
    </>
  );
}

interface BacktestChartProps {
  readonly backtest: ShownBacktest;
  readonly digits: number | undefined;
}

function BacktestChart({ backtest, digits }: BacktestChartProps) {
  const { equity, from, to, writtenAt } = backtest;
  const data = useMemo(
    (): uPlot.AlignedData => [equity.map(([atMs]) => atMs / 1_000), equity.map((point) => point[1])],
    [equity],
  );
  return (
    <>
      <Chart
        label={`Equity of the backtest from ${timeText(from)} to ${timeText(to)}`}
        data={data}
        // A slope over a weekend would show equities that never were.
        lines={[{ colour: backtest.isSame === true ? '--line' : '--dim', isStepped: true }]}
        height={180}
        valueText={(value) => money(value, digits)}
      />
      <p class="note">The equity of the backtest, over its own time. The report was written {writtenAt} UTC.</p>
    </>
  );
}

function Settings({ backtest }: { readonly backtest: ShownBacktest }) {
  const { isSame, differing, broker } = backtest;
  return (
    <>
      <p class={isSame === false ? 'problem' : isSame === null ? 'advice' : 'note'}>
        <Foreign text={standingOf(backtest)} />
      </p>
      {differing.length > 0 && (
        <Table headings={['Setting', 'Live', 'Backtest']} isNarrow>
          {differing.map(([name, live, ran]) => (
            <tr key={name} role="row">
              <th scope="row" role="rowheader" data-label="Setting" class="text">
                <Foreign text={name} />
              </th>
              <Cell label="Live">
                <Foreign text={live} />
              </Cell>
              <Cell label="Backtest">
                <Foreign text={ran} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <p class="note">
        The backtest assumes: <Foreign text={broker} />. Times are UTC.
      </p>
    </>
  );
}
