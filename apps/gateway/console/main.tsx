import 'uplot/dist/uPlot.min.css';
import './console.css';
import { render } from 'preact';
import { AccountPanel } from './account-panel';
import { BooksPanel } from './books-panel';
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
import { RequestPanel } from './request-panel';
import { session } from './session';
import { StrategiesPanel } from './strategies-panel';
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
        <AccountPanel desk={desk} />
        <PositionsPanel desk={desk} />
        <OrdersPanel desk={desk} />
        <div class="pair">
          <WritesPanel desk={desk} />
          <BooksPanel desk={desk} />
        </div>
        <div class="pair">
          <PricePanel desk={desk} />
          <MoneyPanel desk={desk} />
        </div>
        <StrategiesPanel desk={desk} />
        <NotificationsPanel desk={desk} />
        <div class="pair">
          <EventsPanel desk={desk} />
          <RequestPanel desk={desk} />
        </div>
      </main>
      <Dialog />
    </>
  );
}

render(<Console />, document.body);
