import type { ComponentChildren } from 'preact';

interface TableProps {
  readonly headings: readonly string[];
  readonly children: ComponentChildren;
}

/** A table that scrolls sideways in its own box. The box can be reached with the keyboard, so that it scrolls there too. */
export function Table({ headings, children }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="table">
      <table>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
