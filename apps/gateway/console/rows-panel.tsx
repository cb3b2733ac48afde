import type { ComponentChildren } from 'preact';
import type { Feed } from './feed';
import { Cell, Table } from './table';
import { level, Panel } from './text';

interface RowsPanelProps<Row> {
  readonly id: string;
  readonly title: string;
  readonly feed: Feed<readonly Row[]>;
  readonly headings: readonly string[];
  /** The sentence for a list without rows. */
  readonly none: string;
  readonly children: (row: Row) => ComponentChildren;
}

/** A list of the gateway as a table, one row for each record. */
export function RowsPanel<Row>({ id, title, feed, headings, none, children }: RowsPanelProps<Row>) {
  return (
    <Panel id={id} title={title} feed={feed} count={(rows) => rows.length}>
      {(rows) =>
        rows.length === 0 ? (
          <p class="none">{noneText(none, feed)}</p>
        ) : (
          <Table headings={headings}>{rows.map(children)}</Table>
        )
      }
    </Panel>
  );
}

/** A list that is not current was empty when it was read, and may not be now. */
function noneText(none: string, feed: Feed<unknown>): string {
  return feed.standing === 'current' ? none : `When it was read: ${none.charAt(0).toLowerCase()}${none.slice(1)}`;
}

interface LevelCellProps {
  readonly label: 'SL' | 'TP';
  /** A price; 0: none. */
  readonly value: number;
  readonly digits: number | undefined;
}

export function LevelCell({ label, value, digits }: LevelCellProps) {
  return (
    <Cell label={label} class={value === 0 ? 'none' : ''}>
      {level(value, digits)}
    </Cell>
  );
}
