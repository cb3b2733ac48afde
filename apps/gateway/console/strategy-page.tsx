import { priceText, type DealRecord } from '@libs/gateway-client';
import { useRef } from 'preact/hooks';
import type { Desk } from './desk';
import { lots, money, resultClass } from './figures';
import { StrategyResultsPanel } from './strategy-results-panel';
import {
  accountDoubt,
  factsOf,
  haltText,
  logLineOf,
  moneyText,
  ownDeals,
  rowsIn,
  settingsOf,
  timeText,
  valueText,
  type StrategyRow,
} from './strategy-view';
import { Cell, Table } from './table';
import { Facts, Foreign, Panel, Side } from './text';

interface StrategyPageProps {
  readonly desk: Desk;
  readonly row: StrategyRow;
  readonly shown: NonNullable<Desk['strategy']['value']>;
}

/** The state of a strategy as one word. */
export function StateOf({ row }: { readonly row: StrategyRow }) {
  return <b class={`state chip ${haltText(row) === null ? 'done' : 'refused'}`}>{valueText(row['state'])}</b>;
}

/** One strategy: what it is worth and holds, what it did, and its log. */
export function StrategyPage({ desk, row, shown }: StrategyPageProps) {
  const halt = haltText(row);
  const { problem } = row;
  const doubt = accountDoubt(row);
  return (
    <>
      {halt !== null && (
        <p class="problem" role="status">
          <Foreign text={halt} />
        </p>
      )}
      {problem !== null && problem !== undefined && (
        <p class="problem">
          <Foreign text={valueText(problem)} />
        </p>
      )}
      {doubt !== null && (
        <p class="advice">
          <Foreign text={doubt} />
        </p>
      )}
      <Facts facts={factsOf(row, desk.moneyDigits)} />
      <StrategyResultsPanel desk={desk} row={row} shown={shown} />
      <div class="pair wide">
        <div>
          <h3>Positions</h3>
          <Positions desk={desk} row={row} />
          {shown.deals !== null && (
            <Panel id="strategy-deals" title="Trades of 30 days" feed={shown.deals}>
              {(deals) => <Trades key={shown.name} desk={desk} row={row} deals={deals} />}
            </Panel>
          )}
        </div>
        <div>
          <h3>Streams and parameters</h3>
          <Facts facts={settingsOf(row)} name="settings" />
          <Panel id="strategy-log" title="Log, times in UTC" feed={shown.log}>
            {({ lines, error }) =>
              lines === null ? (
                <p class="advice">The daemon does not answer: {error}.</p>
              ) : lines.length === 0 ? (
                <p class="none">No lines yet.</p>
              ) : (
                <LogLines lines={lines} />
              )
            }
          </Panel>
        </div>
      </div>
    </>
  );
}

function Positions({ desk, row }: Omit<StrategyPageProps, 'shown'>) {
  const rows = rowsIn(row, 'positions');
  if (!Array.isArray(row['positions'])) return <p class="none">Not known.</p>;
  if (rows.length === 0) {
    return (
      <p class="none">{accountDoubt(row) === null ? 'No open positions.' : 'None when its account was last read.'}</p>
    );
  }
  const digitsOf = ({ digits }: StrategyRow): number | undefined => (typeof digits === 'number' ? digits : undefined);
  const price = (value: unknown, position: StrategyRow): string =>
    typeof value === 'number' ? priceText(value, digitsOf(position)) : 'none';
  return (
    <Table headings={['Symbol', 'Side', 'Volume', 'Open', 'SL', 'TP', 'Profit', 'Opened (UTC)', 'Ticket']}>
      {rows.map((position) => (
        <tr key={position['ticket']} role="row">
          <th scope="row" role="rowheader" data-label="Symbol" class="text">
            <Foreign text={valueText(position['symbol'])} />
          </th>
          <Cell label="Side">
            <Side type={position['side'] === 'sell' ? 1 : 0} />
          </Cell>
          <Cell label="Volume">
            {typeof position['volume'] === 'number'
              ? lots(position['volume'], desk.digits.ofVolume(valueText(position['symbol'])))
              : 'not known'}
          </Cell>
          <Cell label="Open">{price(position['avgPrice'], position)}</Cell>
          <Cell label="SL">{price(position['sl'], position)}</Cell>
          <Cell label="TP">{price(position['tp'], position)}</Cell>
          <Cell label="Profit" class={resultClass(position['unrealized'])}>
            {moneyText(position['unrealized'], desk.moneyDigits)}
          </Cell>
          <Cell label="Opened (UTC)">{timeText(position['openedAt'])}</Cell>
          <Cell label="Ticket">{valueText(position['ticket'])}</Cell>
        </tr>
      ))}
    </Table>
  );
}

const shownDeals = 20;

interface TradesProps {
  readonly desk: Desk;
  readonly row: StrategyRow;
  readonly deals: readonly DealRecord[];
}

function Trades({ desk, row, deals }: TradesProps) {
  // The newest trade of a strategy that trades is booked before its deal is read: until then, what was its own stays.
  const known = useRef<readonly DealRecord[] | null>(null);
  const own = ownDeals(row, deals) ?? known.current;
  known.current = own;
  if (row['lastTrade'] === null) return <p class="none">No trades yet.</p>;
  if (own === null) {
    return (
      <p class="none">
        Not known: its last trade is not among the deals of this gateway up to now. It trades through another gateway,
        or on a market that runs ahead of the clock.
      </p>
    );
  }
  const newestFirst = [...own].sort((a, b) => b.time_msc - a.time_msc || b.ticket - a.ticket);
  return (
    <>
      <Table headings={['Symbol', 'Side', 'Entry', 'Volume', 'Price', 'Result', 'Time (UTC)', 'Deal']}>
        {newestFirst.slice(0, shownDeals).map((deal) => (
          <DealRow key={deal.ticket} desk={desk} deal={deal} />
        ))}
      </Table>
      {newestFirst.length > shownDeals && (
        <p class="note">
          The newest {shownDeals} of {newestFirst.length} deals.
        </p>
      )}
    </>
  );
}

const entries = ['in', 'out', 'in and out', 'out by'];

function DealRow({ desk, deal }: { readonly desk: Desk; readonly deal: DealRecord }) {
  const result = deal.profit + deal.commission + deal.swap + deal.fee;
  return (
    <tr role="row">
      <th scope="row" role="rowheader" data-label="Symbol" class="text">
        <Foreign text={deal.symbol} />
      </th>
      <Cell label="Side">
        <Side type={deal.type} />
      </Cell>
      <Cell label="Entry">{entries[deal.entry] ?? deal.entry}</Cell>
      <Cell label="Volume">{lots(deal.volume, desk.digits.ofVolume(deal.symbol))}</Cell>
      <Cell label="Price">{priceText(deal.price, desk.digits.of(deal.symbol))}</Cell>
      <Cell label="Result" class={resultClass(result)}>
        {money(result, desk.moneyDigits)}
      </Cell>
      <Cell label="Time (UTC)">{timeText(deal.time_utc)}</Cell>
      <Cell label="Deal">{deal.ticket}</Cell>
    </tr>
  );
}

/** Newest first, without what only its developer needs. */
function LogLines({ lines }: { readonly lines: readonly string[] }) {
  const shown = lines.map(logLineOf).filter(({ level }) => level !== 'DEBUG');
  return (
    <ol class="log lines" tabIndex={0} aria-label="newest first">
      {shown.toReversed().map(({ time, level, text, data }, index) => (
        <li key={`${time} ${index}`} class={level === 'ERROR' || level === 'WARNING' ? 'problem' : ''}>
          <time>{timeText(time)}</time> {level === 'INFO' ? '' : `${level} `}
          <Foreign text={text} /> <small>{data !== '' && <Foreign text={data} />}</small>
        </li>
      ))}
    </ol>
  );
}
