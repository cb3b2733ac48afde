import 'uplot/dist/uPlot.min.css';
import './console.css';
import { render } from 'preact';
import { AccountPanel } from './account-panel';
import { AuditPanel } from './audit-state';
import { BooksPanel, hasOpenBooks } from './books-panel';
import type { Desk } from './desk';
import { EventsPanel } from './events-panel';
import { Dialog } from './dialog';
import { Header } from './header';
import { Login } from './login';
import { MoneyPanel } from './money-panel';
import { NotificationsPanel } from './notifications-panel';
import { OrdersPanel } from './orders-panel';
import { PositionsPanel } from './positions-panel';
import { PricePanel } from './price-panel';
import { RecentPanel } from './recent-panel';
import { RequestPanel } from './request-panel';
import { session } from './session';
import { shownTab, type Tab } from './tab';
import { SignalsPanel } from './signals-panel';
import { StrategiesPanel } from './strategies-panel';
import { SystemPanel } from './system-panel';
import { TicketPanel } from './ticket-panel';
import { WritesPanel } from './writes-panel';

function Console() {
  const { value } = session;
  return value.kind === 'closed' ? <Login {...value} /> : <Open desk={value.desk} />;
}

function Open({ desk }: { readonly desk: Desk }) {
  return (
    <>
      <Header desk={desk} />
      <main>
        <WritesPanel desk={desk} />
        <div id="part" role="tabpanel" aria-labelledby={`tab-${shownTab.value}`}>
          <Part desk={desk} tab={shownTab.value} />
        </div>
      </main>
      <Dialog />
    </>
  );
}

function Part({ desk, tab }: { readonly desk: Desk; readonly tab: Tab }) {
  switch (tab) {
    case 'Trade':
      return (
        <>
          <PositionsPanel desk={desk} />
          <OrdersPanel desk={desk} />
          <div class="pair wide">
            <PricePanel desk={desk} />
            <div>
              <TicketPanel desk={desk} />
              <AccountPanel desk={desk} />
              <MoneyPanel desk={desk} />
            </div>
          </div>
        </>
      );
    case 'Strategies':
      return <StrategiesPanel desk={desk} />;
    case 'Requests': {
      const recent = <RecentPanel key="recent" desk={desk} />;
      const books = (
        <div class="pair" key="books">
          <BooksPanel desk={desk} />
          <RequestPanel desk={desk} />
        </div>
      );
      // What needs attention is above a list that may be long.
      return (
        <>
          {hasOpenBooks(desk) ? [books, recent] : [recent, books]}
          <SignalsPanel desk={desk} />
        </>
      );
    }
    case 'Events':
      return <EventsPanel desk={desk} />;
    case 'System':
      return (
        <>
          <SystemPanel desk={desk} />
          <AuditPanel desk={desk} />
          <NotificationsPanel desk={desk} />
        </>
      );
  }
}

render(<Console />, document.body);
