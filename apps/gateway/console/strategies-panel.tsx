import type { Desk } from './desk';
import { StateOf, StrategyPage } from './strategy-page';
import { headingsOf, strategyCellClass, strategyCells } from './strategy-row';
import { childrenOf, startText, strategyNamed, valueText, type StrategyRow } from './strategy-view';
import { Cell, Table } from './table';
import { Foreign, Panel } from './text';

/** The strategies of the daemon that the gateway knows, or one of them. Without a daemon, there is no panel. */
export function StrategiesPanel({ desk }: { readonly desk: Desk }) {
  if (desk.strategies.reading.value.value?.daemon === 'none') return null;
  const shown = desk.strategy.value;
  return (
    <Panel id="strategies" title={shown === null ? 'Strategies' : shown.name} feed={desk.strategies}>
      {({ strategies, error }) => {
        if (strategies === null) {
          return (
            <p class="advice">
              The daemon does not answer: {error}. Its strategies are not known; if it still runs, they go on trading.
              Check that it runs, and that CONSOLE_DAEMON_URL of the gateway is its address.
            </p>
          );
        }
        if (shown === null) return <StrategyTable desk={desk} rows={strategies} />;
        const row = strategyNamed(strategies, shown.name);
        return (
          <>
            <p class="way-back">
              <button type="button" class="link" onClick={() => desk.showStrategy(null)}>
                <span aria-hidden="true">‹</span> All strategies
              </button>
              {row !== undefined && (
                <>
                  <StateOf row={row} /> <small class="age">{startText(row)}</small>
                </>
              )}
            </p>
            {row === undefined ? (
              <p class="advice">The daemon has no strategy of this name any more.</p>
            ) : (
              <>
                <StrategyPage desk={desk} row={row} shown={shown} />
                {childrenOf(row).length > 0 && <StrategyTable desk={desk} rows={childrenOf(row)} />}
              </>
            )}
          </>
        );
      }}
    </Panel>
  );
}

function StrategyTable({ desk, rows }: { readonly desk: Desk; readonly rows: readonly StrategyRow[] }) {
  if (rows.length === 0) return <p class="none">The daemon has no strategies.</p>;
  const headings = headingsOf(rows);
  return (
    <Table headings={headings}>
      {rows.map((row) => (
        <tr key={row['name']} role="row">
          {strategyCells(row, headings, desk.moneyDigits).map((text, column) =>
            column === 0 ? (
              <th key={column} scope="row" role="rowheader" data-label="Name" class="text">
                <button type="button" class="link" onClick={() => show(desk, row)}>
                  <Foreign text={text} />
                </button>
              </th>
            ) : (
              <Cell key={column} label={headings[column] ?? ''} class={strategyCellClass(row, headings[column])}>
                <Foreign text={text} />
              </Cell>
            ),
          )}
        </tr>
      ))}
    </Table>
  );
}

function show(desk: Desk, row: StrategyRow): void {
  desk.showStrategy(valueText(row['name']), typeof row['magic'] === 'number' ? row['magic'] : null);
}
