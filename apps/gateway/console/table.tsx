import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly headings: readonly string[];
  /** Whether it has so few columns that its rows are rows on a phone too, and not wider than a phone elsewhere. */
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A table, whose rows are cards on a phone. Where it is wider than its box, it scrolls there; the box can be reached with the
 * keyboard, so that it scrolls there too.
 */
export function Table({ headings, isNarrow = false, children }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="table">
      <table role="table" class={isNarrow ? 'narrow' : ''}>
        <thead role="rowgroup">
          <tr role="row">
            {headings.map((heading) =>
              heading === '' ? (
                <td key="" role="cell" />
              ) : (
                <th key={heading} scope="col" role="columnheader" class={textColumns.has(heading) ? 'text' : ''}>
                  {heading}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">{children}</tbody>
      </table>
    </div>
  );
}

/** Headings of columns of words, which begin at the left. Numbers end at the right. */
const textColumns: ReadonlySet<string> = new Set([
  ...['Symbol', 'Side', 'Type', 'Key', 'Comment', 'Name', 'Kind', 'State', 'Problem'],
  ...['Channel', 'Happened', 'Notification', 'Last answer', 'Set aside', 'Id'],
  ...['Source', 'Received (UTC)', 'Alert', 'Outcome', 'Figure', 'Setting'],
  ...['Sent (UTC)', 'Request', 'Reason', 'Written (UTC)', 'Event', 'Api key', 'Retcode name', 'Error type'],
]);

interface CellProps {
  /** The heading of its column, which a card shows beside it. */
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Cell({ label, class: name = '', children }: CellProps) {
  return (
    <td role="cell" data-label={label} class={`${textColumns.has(label) ? 'text ' : ''}${name}`}>
      {children}
    </td>
  );
}
