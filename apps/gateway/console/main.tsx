import 'uplot/dist/uPlot.min.css';
import './console.css';
import { render } from 'preact';
import { AccountPanel } from './account-panel';
import type { Desk } from './desk';
import { Dialog } from './dialog';
import { Header } from './header';
import { Login } from './login';
import { PositionsPanel } from './positions-panel';
import { session } from './session';
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
        <WritesPanel />
      </main>
      <Dialog />
    </>
  );
}

render(<Console />, document.body);
