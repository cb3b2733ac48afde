import { Injectable } from '@nestjs/common';
import { mutation } from '@libs/envelope';
import { levelsDraft, wasAlreadySo } from '@libs/order-drafts';
import { samePrice, type TradePosition } from '@libs/terminal-client';
import { ChangeTurns } from '../orders/change-turns';
import { ChangedMeanwhile } from '../trade-journal/changed-meanwhile.error';
import { isShownSince, KeptValues } from '../orders/kept-values';
import { levelsKeptBy } from '../orders/levels.request';
import { MarketReader } from '../orders/market-reader';
import { requireDone } from '../orders/send-errors';
import { sendResultBody } from '../orders/send-result.response';
import { unlessRefused } from '../pre-trade/refusal-error';
import { TerminalAccess } from '../terminal/terminal-access';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeSender, type SendGuard } from '../trade-journal/trade-sender';
import { LivePositions } from './live-positions';
import { requireLevelChange, type ModifyLevelsRequest } from './modify-levels.request';
import type { ModifyLevelsResponse } from './modify-levels.response';
import { namedPosition } from './position-reference';

/** Changes the stop loss and take profit of a position; omitted levels are kept. */
@Injectable()
export class ModifyLevelsService {
  constructor(
    private readonly positions: LivePositions,
    private readonly reader: MarketReader,
    private readonly terminal: TerminalAccess,
    private readonly sender: TradeSender,
    private readonly turns: ChangeTurns,
    private readonly kept: KeptValues,
  ) {}

  async modify(attempt: TradeAttempt, body: ModifyLevelsRequest): Promise<TradeAnswer<ModifyLevelsResponse>> {
    const { ticket } = namedPosition(body);
    requireLevelChange(body);
    await this.terminal.connected();
    return this.turns.run(ticket, () => this.change(attempt, ticket, body));
  }

  private async change(
    attempt: TradeAttempt,
    ticket: number,
    body: ModifyLevelsRequest,
  ): Promise<TradeAnswer<ModifyLevelsResponse>> {
    const position = await this.positions.require(ticket);
    const standing = { sl: position.sl, tp: position.tp };
    this.kept.require(
      `position ${ticket}`,
      ticket,
      standing,
      levelsKeptBy(body),
      this.terminal.isHedging ? null : position,
    );
    const market = await this.reader.market(position.symbol);
    const request = unlessRefused(levelsDraft(position, body, market));
    const intent = {
      purpose: 'modify_levels',
      request,
      serverTimeMsc: market.tick.time_msc,
      positionId: position.identifier,
      positionVolume: position.volume,
      openedMsc: position.time_msc,
      standing,
    } as const;
    const guard = { ...this.guard(position, body), ...(await this.positions.dealsOfUnmarked(position)) };
    const { outcome } = await this.sender.send(attempt, intent, guard);
    const result = requireDone(outcome, attempt.clientOrderId, {
      info: market.info,
      obstacle: this.terminal.tradingObstacle,
    });
    const read = await this.positions.peek(ticket);
    const live = read && isShownSince(read, intent) ? read : null;
    const noChanges = wasAlreadySo('modify_levels', result.retcode);
    const answer: ModifyLevelsResponse = mutation(
      noChanges ? `position ${ticket} unchanged: levels already as requested` : `levels of position ${ticket} changed`,
      sendResultBody(result),
      {
        position: ticket,
        sl: (live ?? request).sl || null,
        tp: (live ?? request).tp || null,
        sl_confirmed: live && samePrice(live.sl, request.sl, market.info),
        tp_confirmed: live && samePrice(live.tp, request.tp, market.info),
        no_changes: noChanges,
        client_order_id: attempt.clientOrderId,
      },
    );
    return answered(answer);
  }

  /** On an account that nets, an order that adds to the position replaces its levels, so a level that is kept is read last. */
  private guard(read: TradePosition, body: ModifyLevelsRequest): SendGuard {
    const kept = levelsKeptBy(body);
    if (this.terminal.isHedging || kept.length === 0) return {};
    const recheck = async (): Promise<void> => {
      const now = await this.positions.require(read.ticket);
      if (kept.some((level) => now[level] !== read[level])) throw new ChangedMeanwhile(`position ${read.ticket}`);
    };
    return { levels: 'keeps', recheck };
  }
}
