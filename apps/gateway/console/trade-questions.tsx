import { lotsText, type OrderRecord, type PositionRecord, priceText, tradeCalls } from '@libs/gateway-client';
import type { Desk } from './desk';
import { ask } from './dialog';
import { lots } from './figures';
import { Foreign, level, Side } from './text';
import { levelsOf, volumeOf } from './trade-fields';
import { sendTrade } from './trade-writes';

export const positionTarget = (ticket: number): string => `position ${ticket}`;
export const orderTarget = (ticket: number): string => `order ${ticket}`;

function Row({ desk, row }: { readonly desk: Desk; readonly row: PositionRecord }) {
  const digits = desk.digits.of(row.symbol);
  return (
    <p>
      <Side type={row.type} /> {lots(row.volume, desk.digits.ofVolume(row.symbol))} <Foreign text={row.symbol} /> at{' '}
      {priceText(row.price_open, digits)}, sl {level(row.sl, digits)}, tp {level(row.tp, digits)}
    </p>
  );
}

/** Asks for new levels of a position, then sends them. */
export function askToProtect(desk: Desk, row: PositionRecord): void {
  const target = positionTarget(row.ticket);
  ask({
    title: `Protect ${target}`,
    content: (
      <>
        <Row desk={desk} row={row} />
        <p>A field that is left empty keeps its level.</p>
        {(['sl', 'tp'] as const).map((name) => (
          <fieldset key={name}>
            <legend>{name === 'sl' ? 'Stop loss' : 'Take profit'}</legend>
            <label>
              {name}{' '}
              <input
                name={name}
                inputmode="decimal"
                autocomplete="off"
                autofocus={name === 'sl'}
                placeholder={level(row[name], desk.digits.of(row.symbol))}
              />
            </label>
            <label>
              <input type="checkbox" name={`clear_${name}`} /> remove the {name}
            </label>
          </fieldset>
        ))}
      </>
    ),
    confirm: 'Protect',
    onConfirm: (fields) => {
      const levels = levelsOf(row.ticket, fields);
      if (!levels.ok) return levels.problem;
      const { sl, tp, clear_sl: noSl, clear_tp: noTp } = levels.value;
      const parts = [
        ...(sl === undefined ? [] : [`sl ${sl}`]),
        ...(tp === undefined ? [] : [`tp ${tp}`]),
        ...(noSl === true ? ['no sl'] : []),
        ...(noTp === true ? ['no tp'] : []),
      ];
      const what = `protect ${target} (${row.symbol}) with ${parts.join(', ')}`;
      void sendTrade(desk, what, target, tradeCalls.modifySlTp(levels.value));
      return null;
    },
  });
}

/** Asks for the volume, then closes a position or a part of it. */
export function askToClose(desk: Desk, row: PositionRecord): void {
  const target = positionTarget(row.ticket);
  ask({
    title: `Close ${target}?`,
    content: (
      <>
        <Row desk={desk} row={row} />
        <label>
          Lots to close; empty: all of it{' '}
          <input
            name="volume"
            inputmode="decimal"
            autocomplete="off"
            placeholder={lots(row.volume, desk.digits.ofVolume(row.symbol))}
          />
        </label>
      </>
    ),
    confirm: 'Close position',
    isDangerous: true,
    onConfirm: (fields) => {
      const volume = volumeOf(fields);
      if (!volume.ok) return volume.problem;
      const { ticket, symbol } = row;
      const part = volume.value === undefined ? {} : { volume: volume.value };
      const what = `close ${volume.value === undefined ? '' : `${lotsText(volume.value)} of `}${target} (${symbol})`;
      void sendTrade(desk, what, target, tradeCalls.closePosition({ position: { ticket }, ...part }));
      return null;
    },
  });
}

/** Asks, then cancels a pending order. */
export function askToCancel(desk: Desk, { ticket, symbol, type, volume_current: volume }: OrderRecord): void {
  const target = orderTarget(ticket);
  ask({
    title: `Cancel ${target}?`,
    content: (
      <p>
        <Side type={type} /> {lots(volume, desk.digits.ofVolume(symbol))} <Foreign text={symbol} />
      </p>
    ),
    confirm: 'Cancel order',
    isDangerous: true,
    onConfirm: () => {
      void sendTrade(desk, `cancel ${target} (${symbol})`, target, tradeCalls.cancelOrder(ticket));
      return null;
    },
  });
}
