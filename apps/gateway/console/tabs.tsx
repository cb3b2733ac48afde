import type { Desk } from './desk';
import { needsOf, type Need } from './needs';
import { shownTab, tabs, type Tab } from './tab';
import { Foreign } from './text';

/** The parts that this gateway has: without a daemon there are no strategies. */
function tabsOf(desk: Desk): readonly Tab[] {
  const hasDaemon = desk.strategies.reading.value.value?.daemon !== 'none';
  return tabs.filter((tab) => tab !== 'Strategies' || hasDaemon);
}

/** One tab for each part, with the number of things in it that need attention. Arrow keys move between them. */
export function Tabs({ desk }: { readonly desk: Desk }) {
  const own = tabsOf(desk);
  const needs = needsOf(desk);
  const move = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowLeft' ? -1 : Number(event.key === 'ArrowRight');
    if (by === 0) return;
    const next = own[(own.indexOf(shownTab.value) + by + own.length) % own.length];
    if (next === undefined) return;
    event.preventDefault();
    shownTab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="parts of the page" onKeyDown={move}>
      {own.map((tab) => (
        <button
          key={tab}
          id={`tab-${tab}`}
          type="button"
          role="tab"
          aria-selected={tab === shownTab.value}
          aria-controls="part"
          tabIndex={tab === shownTab.value ? 0 : -1}
          onClick={() => (shownTab.value = tab)}
        >
          {tab}
          <Count needs={needs.filter((need) => need.tab === tab)} />
        </button>
      ))}
    </div>
  );
}

function Count({ needs }: { readonly needs: readonly Need[] }) {
  return needs.length === 0 ? null : <span class="count">{needs.length}</span>;
}

/** What needs attention, on every tab, each with the way to it. Nothing, where nothing does. */
export function Attention({ desk }: { readonly desk: Desk }) {
  const needs = needsOf(desk);
  if (needs.length === 0) return null;
  return (
    <div id="attention" role="status">
      <ul aria-label="needs attention">
        {needs.map(({ text, tab }) => (
          <li key={text}>
            <button type="button" class="link" onClick={() => (shownTab.value = tab)}>
              <Foreign text={text} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
