import { countText } from '@libs/gateway-client';
import { useMemo } from 'preact/hooks';
import uPlot from 'uplot';
import { withEnd } from './balance-line';
import { Chart } from './chart';
import { curveSpans, type Curve } from './curve';
import type { Desk } from './desk';
import { equityLine, longBalanceLine } from './equity-line';
import { now, type Feed } from './feed';
import { money } from './figures';
import type { MoneyView } from './money-view';
import { ageOf, durationText } from './reading';
import { Foreign, Panel, reasonOf } from './text';

/** Balance and equity over time: as the gateway recorded them, and as this page has read them since. */
export function MoneyPanel({ desk }: { readonly desk: Desk }) {
  const shown = desk.curve.value;
  return (
    <Panel id="money" title="Balance and equity" feed={desk.money}>
      {(view) => (
        <>
          <span class="choices" role="group" aria-label="time shown">
            {curveSpans.map((span) => (
              <button
                key={span.text}
                type="button"
                aria-pressed={span === shown?.span}
                onClick={() => desk.showCurve(span)}
              >
                {span.text}
              </button>
            ))}
          </span>
          <MoneyChart desk={desk} view={view} />
        </>
      )}
    </Panel>
  );
}

function MoneyChart({ desk, view }: { readonly desk: Desk; readonly view: MoneyView }) {
  const read = desk.equity.value;
  const { span = curveSpans[0], feed } = desk.curve.value ?? {};
  const curve = feed?.reading.value;
  const recorded = curve?.value?.readings ?? noReadings;
  const data = useMemo(() => {
    const fromMs = view.readAtMs - span.days * 86_400_000;
    const line = longBalanceLine(recorded, view.line);
    const before = line.findLast(([atMs]) => atMs < fromMs);
    const steps = [
      ...(before === undefined ? [] : [[fromMs, before[1]] as const]),
      ...withEnd(line, view.readAtMs, view.balance).filter(([atMs]) => atMs >= fromMs),
    ];
    const equity = equityLine(recorded, span.everyMinutes * 60_000, read).filter(([atMs]) => atMs >= fromMs);
    return uPlot.join(
      [steps, equity].map((points): uPlot.AlignedData => [
        points.map(([atMs]) => atMs / 1_000),
        points.map((point) => point[1]),
      ]),
    );
  }, [view, read, recorded, span]);
  const count = countText(recorded.length, 'recorded reading');
  return (
    <>
      <Chart
        label={`Balance ${money(view.balance, view.digits)} and equity over ${span.text}, with ${count} of the equity`}
        data={data}
        lines={[{ colour: '--dim', isStepped: true }, { colour: '--line' }]}
        height={200}
        valueText={(value) => money(value, view.digits)}
      />
      {feed !== undefined && <RecordState feed={feed} />}
      <p class="note">
        Grey: the balance. Blue: the equity; a gap is a time without an explained account. Times are UTC.
      </p>
    </>
  );
}

const noReadings = [] as const;

/** Why the line of the equity may lack something at its end. */
function RecordState({ feed }: { readonly feed: Feed<Curve> }) {
  const reason = reasonOf(feed);
  const age = ageOf(feed.reading.value, now.value);
  const problem = feed.reading.value.value?.problem ?? null;
  if (reason !== null) {
    const since = age === null ? `not read for ${durationText(feed.unreadMs)}` : `last read ${age}`;
    return (
      <p class="stale-note">
        The recorded equity was {since}: {reason}
      </p>
    );
  }
  if (problem === null) return null;
  return (
    <p class="stale-note">
      <Foreign text={problem} />
    </p>
  );
}
