import type { Desk } from './desk';
import { strategyCells, strategyHeadings } from './strategy-row';
import { Cell, Table } from './table';
import { Foreign, Panel } from './text';

/** The strategies of the daemon that the gateway knows. Without one, there is no panel. */
export function StrategiesPanel({ desk }: { readonly desk: Desk }) {
  if (desk.strategies.reading.value.value?.daemon === 'none') return null;
  return (
    <Panel id="strategies" title="Strategies" feed={desk.strategies}>
      {({ strategies, error }) =>
        strategies === null ? (
          <p class="advice">The daemon does not answer: {error}. Its strategies are not known.</p>
        ) : (
          <Table headings={strategyHeadings}>
            {strategies.map((row, index) => (
              <tr key={index} role="row" class={row['halted'] === true ? 'halted' : ''}>
                {strategyCells(row).map((text, column) => (
                  <Cell key={column} label={strategyHeadings[column] ?? ''}>
                    <Foreign text={text} />
                  </Cell>
                ))}
              </tr>
            ))}
          </Table>
        )
      }
    </Panel>
  );
}
