import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { Chart } from './chart';
import type { Desk } from './desk';
import { money } from './figures';
import type { MoneyView } from './money-view';
import { Panel } from './text';

/** Days of the balance that are shown. */
const days = signal(1);
const spans = [
  [0, 'since the page was opened'],
  [1, 'one day'],
  [7, 'seven days'],
] as const;

/** Balance and equity over time. The API has no past equity, so its line starts when the page was opened. */
export function MoneyPanel({ desk }: { readonly desk: Desk }) {
  const choose = (event: Event): void => {
    if (event.currentTarget instanceof HTMLSelectElement) days.value = Number(event.currentTarget.value);
  };
  return (
    <Panel id="money" title="Balance and equity" feed={desk.money}>
      {(view) => (
        <>
          <label>
            Show{' '}
            <select value={days.value} onChange={choose}>
              {spans.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          <MoneyChart desk={desk} view={view} />
        </>
      )}
    </Panel>
  );
}

function MoneyChart({ desk, view }: { readonly desk: Desk; readonly view: MoneyView }) {
  const samples = desk.equity.value;
  const fromMs = days.value === 0 ? (samples[0]?.[0] ?? 0) : view.readAtMs - days.value * 86_400_000;
  const data = useMemo(() => {
    const balance = view.line.filter(([atMs]) => atMs >= fromMs);
    const before = view.line.findLast(([atMs]) => atMs < fromMs);
    const steps = [
      ...(before === undefined ? [] : [[fromMs, before[1]] as const]),
      ...balance,
      [view.readAtMs, view.balance] as const,
    ];
    const columns = [steps, samples].map((points): uPlot.AlignedData => [
      points.map(([atMs]) => atMs / 1_000),
      points.map((point) => point[1]),
    ]);
    return uPlot.join(columns);
  }, [view, samples, fromMs]);
  return (
    <>
      <Chart
        label={`Balance ${view.balance} after ${view.deals} deals in seven days, and ${samples.length} readings of the equity; shown: ${spans.find(([value]) => value === days.value)?.[1]}`}
        data={data}
        lines={[{ colour: '--dim', isStepped: true }, { colour: '--line' }]}
        height={200}
        valueText={(value) => money(value, view.digits)}
      />
      <p class="note">
        Grey: the balance, reckoned back over the deals of seven days. Blue: the equity, since this page was opened.
        Times are UTC.
      </p>
    </>
  );
}
