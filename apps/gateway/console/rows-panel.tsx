import type { ComponentChildren } from 'preact';
import type { Feed } from './feed';
import { Table } from './table';
import { Panel } from './text';

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
    <Panel id={id} title={title} feed={feed}>
      {(rows) =>
        rows.length === 0 ? <p class="none">{none}</p> : <Table headings={headings}>{rows.map(children)}</Table>
      }
    </Panel>
  );
}
