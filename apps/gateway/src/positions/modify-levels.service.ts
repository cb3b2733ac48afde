import { Injectable } from '@nestjs/common';
import { mutation } from '@libs/envelope';
import { PositionType, TradeAction, tradeRequest, type TradePosition, samePrice } from '@libs/terminal-client';
import { newLevels, type LevelsRequest } from '../orders/levels.request';
import { MarketReader } from '../orders/market-reader';
import { requireDone } from '../orders/send-errors';
import { sendResultBody } from '../orders/send-result.response';
import { levelSide } from '../pre-trade/levels-side';
import type { Market } from '../pre-trade/proposed-order';
import { TerminalAccess } from '../terminal/terminal-access';
import { wasAlreadySo } from '../trade-journal/classify-outcome';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender } from '../trade-journal/trade-sender';
import { LivePositions } from './live-positions';
import { requireLevelChange, type ModifyLevelsRequest } from './modify-levels.request';
import type { ModifyLevelsResponse } from './modify-levels.response';
import { positionReference } from './position-reference';

/** Levels as the terminal writes them: 0 is none. */
interface Levels {
  readonly sl: number;
  readonly tp: number;
}

/** Changes the stop loss and take profit of a position; what is omitted stays (spec: Modify rules). */
@Injectable()
export class ModifyLevelsService {
  constructor(
    private readonly positions: LivePositions,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
  ) {}

  async modify(attempt: TradeAttempt, body: ModifyLevelsRequest): Promise<TradeAnswer> {
    const { ticket } = positionReference(body.position);
    requireLevelChange(body);
    await this.terminal.connected();
    const position = await this.positions.require(ticket);
    const market = await this.reader.market(position.symbol);
    const levels = newLevels(position, body, market.info);
    requireSides(position, body, levels, market);
    const { outcome } = await this.sender.send(attempt, {
      purpose: 'modify_levels',
      // Both levels are always sent: the terminal takes a 0 for "remove".
      request: tradeRequest({
        action: TradeAction.SLTP,
        symbol: position.symbol,
        position: ticket,
        magic: position.magic,
        ...levels,
      }),
      serverTimeMsc: market.tick.time_msc,
      positionId: position.identifier,
      positionVolume: position.volume,
      standing: { sl: position.sl, tp: position.tp },
    });
    const result = requireDone(outcome, attempt.clientOrderId);
    const live = await this.positions.peek(ticket);
    const noChanges = wasAlreadySo('modify_levels', result.retcode);
    const answer: ModifyLevelsResponse = mutation(
      noChanges ? `position ${ticket} had these levels already` : `levels of position ${ticket} changed`,
      sendResultBody(result),
      {
        position: ticket,
        sl: (live ?? levels).sl || null,
        tp: (live ?? levels).tp || null,
        sl_confirmed: live && samePrice(live.sl, levels.sl, market.info),
        tp_confirmed: live && samePrice(live.tp, levels.tp, market.info),
        no_changes: noChanges,
        client_order_id: attempt.clientOrderId,
      },
    );
    return answered(answer);
  }
}

/** Only levels that change are judged: one that stands already may be closer than a new one could be set. */
function requireSides(position: TradePosition, body: LevelsRequest, levels: Levels, market: Market): void {
  const isBuy = position.type === PositionType.BUY;
  const reference = isBuy ? market.tick.bid : market.tick.ask;
  const refusal =
    levelSide('sl', body.sl == null ? null : levels.sl, isBuy ? 'below' : 'above', reference, market) ??
    levelSide('tp', body.tp == null ? null : levels.tp, isBuy ? 'above' : 'below', reference, market);
  if (refusal) throw refusal;
}
