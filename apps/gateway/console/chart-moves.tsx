import type { FullBarRecord } from '@libs/gateway-client';
import type { ComponentChildren, TargetedPointerEvent, TargetedWheelEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { fewestBars, moved, newestBars, zoomed, type ChartWindow } from './chart-window';

interface MovesProps {
  /** All bars that were read. */
  readonly bars: readonly FullBarRecord[];
  readonly window: ChartWindow;
  readonly onChange: (window: ChartWindow) => void;
}

const zoomIn = 0.7;

/** Moves and zooms a chart, also with the keyboard. */
export function WindowButtons({ bars, window, onChange }: MovesProps) {
  const step = Math.ceil(window.count / 3);
  const isFirst = moved(bars, window, -1).endTime === window.endTime;
  const buttons = [
    { text: '◀', name: 'earlier', isOff: isFirst, next: () => moved(bars, window, -step) },
    { text: '▶', name: 'later', isOff: window.endTime === null, next: () => moved(bars, window, step) },
    { text: '−', name: 'zoom out', isOff: window.count >= bars.length, next: () => zoomed(bars, window, 1 / zoomIn) },
    { text: '+', name: 'zoom in', isOff: window.count <= fewestBars, next: () => zoomed(bars, window, zoomIn) },
    { text: 'Newest', name: 'newest bars', isOff: window === newestBars, next: () => newestBars },
  ];
  return (
    <span class="choices moves" role="group" aria-label="bars shown">
      {buttons.map(({ text, name, isOff, next }) => (
        <button key={name} type="button" aria-label={name} disabled={isOff} onClick={() => onChange(next())}>
          {text}
        </button>
      ))}
    </span>
  );
}

/** A chart that is dragged sideways, and zoomed with the wheel while Ctrl is held, as a touchpad does by a pinch. */
export function Movable({ bars, window, onChange, children }: MovesProps & { readonly children: ComponentChildren }) {
  const from = useRef<{ readonly x: number; readonly window: ChartWindow } | null>(null);
  const drag = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    const { current: start } = from;
    if (start === null) return;
    const by = Math.round(((start.x - event.clientX) / event.currentTarget.clientWidth) * window.count);
    const next = moved(bars, start.window, by);
    if (next.endTime !== window.endTime) onChange(next);
  };
  const wheel = (event: TargetedWheelEvent<HTMLDivElement>): void => {
    if (event.deltaX !== 0) onChange(moved(bars, window, Math.sign(event.deltaX) * Math.ceil(window.count / 30)));
    if (!event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    onChange(zoomed(bars, window, event.deltaY > 0 ? 1.15 : 1 / 1.15));
  };
  return (
    <div
      class="movable"
      onPointerDown={(event) => {
        from.current = { x: event.clientX, window };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
      onWheel={wheel}
    >
      {children}
    </div>
  );
}
