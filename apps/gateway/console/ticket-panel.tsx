import { useRef, useState } from 'preact/hooks';
import type { Desk } from './desk';
import { askToOrder, reasonAgainstOrder } from './order-question';
import { isReadOnly } from './permission';
import { Foreign } from './text';
import { orderKinds, sizeUnits, type OrderKind, type OrderSide, type SizeUnit } from './ticket';

/** Places an order on the symbol of the chart. A key that may not trade has none. */
export function TicketPanel({ desk }: { readonly desk: Desk }) {
  const symbol = desk.market.value?.symbol;
  if (symbol === undefined || isReadOnly(desk)) return null;
  return (
    <section id="ticket" class="panel" aria-labelledby="ticket-title">
      <h2 id="ticket-title">
        New order on <Foreign text={symbol} />
      </h2>
      <TicketForm key={symbol} desk={desk} symbol={symbol} />
    </section>
  );
}

const kindTexts: Readonly<Record<OrderKind, string>> = { market: 'Market', limit: 'Limit', stop: 'Stop' };

function unitText(unit: SizeUnit, currency: string): string {
  return { lots: 'lots', percent: '% at risk', money: `${currency} at risk` }[unit];
}

function TicketForm({ desk, symbol }: { readonly desk: Desk; readonly symbol: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [kind, setKind] = useState<OrderKind>('market');
  const [problem, setProblem] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const reason = reasonAgainstOrder(desk, symbol);
  const currency = desk.account.reading.value.value?.currency ?? 'money';
  const ask = async (side: OrderSide): Promise<void> => {
    if (form.current === null) return;
    setAsking(true);
    setProblem(await askToOrder(desk, symbol, side, new FormData(form.current)));
    setAsking(false);
  };
  return (
    <form ref={form} class="ticket" onSubmit={(event) => event.preventDefault()}>
      <label>
        Type
        <select
          name="kind"
          onChange={(event) => setKind(orderKinds.find((one) => one === event.currentTarget.value) ?? 'market')}
        >
          {orderKinds.map((one) => (
            <option key={one} value={one} selected={one === kind}>
              {kindTexts[one]}
            </option>
          ))}
        </select>
      </label>
      <Field name="size" text="Size" value="0.1" />
      <label>
        Unit
        <select name="unit">
          {sizeUnits.map((unit) => (
            <option key={unit} value={unit}>
              {unitText(unit, currency)}
            </option>
          ))}
        </select>
      </label>
      <Field name="sl" text="Stop loss" />
      <Field name="tp" text="Take profit" />
      {kind === 'market' ? null : <Field name="price" text="Price" />}
      <div class="sides">
        {(['BUY', 'SELL'] as const).map((side) => (
          <button
            key={side}
            type="button"
            class={`side-button ${side.toLowerCase()}`}
            disabled={reason !== null || isAsking}
            title={reason ?? ''}
            onClick={() => void ask(side)}
          >
            <span aria-hidden="true">{side === 'BUY' ? '▲' : '▼'}</span> {side === 'BUY' ? 'Buy' : 'Sell'}
          </button>
        ))}
      </div>
      {reason !== null && <p class="advice">No order now: {reason}.</p>}
      {problem !== null && (
        <p role="alert" class="problem">
          <Foreign text={problem} />
        </p>
      )}
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly text: string;
  readonly value?: string;
}

function Field({ name, text, value = '' }: FieldProps) {
  return (
    <label>
      {text}
      <input name={name} inputmode="decimal" autocomplete="off" maxLength={24} defaultValue={value} />
    </label>
  );
}
