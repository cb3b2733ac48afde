import { Controller, Post } from '@nestjs/common';
import { ApiBody, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiError } from '@libs/envelope';
import { PositionType, type TradePosition } from '@libs/terminal-client';
import { TradeEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { SymbolService } from '../symbols/symbol.service';
import { TerminalAccess } from '../terminal/terminal-access';
import { CurrentAttempt } from '../trade-journal/current-attempt';
import type { TradeAnswer } from '../trade-journal/trade-answer';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { CloseAll } from './close-all';
import { closeAllAnswer, doubtfulPositions } from './close-all-answer';
import { CloseAllResponse, CloseAllUnknownResponse } from './close-all.response';
import { CloseAllRequest, requireRealFilters } from './close-position.request';
import type { ClosedItem, FailedItem } from './flatten.response';
import { LivePositions } from './live-positions';

@ApiTags('position')
@Controller()
export class CloseAllController {
  constructor(
    private readonly positions: LivePositions,
    private readonly closeAll: CloseAll,
    private readonly symbols: SymbolService,
    private readonly terminal: TerminalAccess,
  ) {}

  @Post('close_all_positions')
  @TradeEndpoint({
    killGated: true,
    addsRisk: false,
    summary: 'Close every position, or those of a type, magic or symbol',
    response: CloseAllResponse,
    errors: ['not_found'],
    errorBodies: { 502: CloseAllUnknownResponse },
  })
  @ApiBody({ type: CloseAllRequest, required: false })
  @ApiResponse({
    status: 207,
    type: CloseAllResponse,
    description:
      'At least one position could not be closed, or the account is not explained, so that positions may be open that are not shown.',
  })
  async closeAllPositions(
    @CurrentAttempt() attempt: TradeAttempt,
    @ValidBody() body: CloseAllRequest,
  ): Promise<TradeAnswer> {
    requireRealFilters(body);
    const { rows, doubt } = await this.openNow();
    const wanted = rows.filter((position) => isMeant(position, body));
    if (doubt !== null && wanted.length === 0) throw doubt;
    if (wanted.length === 0 && body.symbol != null) await this.symbols.requireKnown(body.symbol);
    const many = await this.closeAll.positions(attempt, wanted);
    if (doubt !== null) many.failed.push(...(await this.stillInDoubt(many.closed)));
    return closeAllAnswer(many, attempt.clientOrderId);
  }

  /** What may be open by a look of now. */
  private async openNow(): ReturnType<LivePositions['forExits']> {
    return this.positions.forExits(await this.terminal.lookAnew());
  }

  /** What may be open beside the closed positions, unless the account is explained now. */
  private async stillInDoubt(closed: readonly ClosedItem[]): Promise<FailedItem[]> {
    const { rows, doubt } = await this.openNow().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      // What was closed has to be reported.
      return { rows: [], doubt: error };
    });
    return doubt === null ? [] : doubtfulPositions(doubt, rows, new Set(closed.map(({ ticket }) => ticket)));
  }
}

function isMeant({ type, magic, symbol }: TradePosition, body: CloseAllRequest): boolean {
  const typeName = type === PositionType.BUY ? 'BUY' : 'SELL';
  return (
    (body.order_type == null || body.order_type === 'all' || body.order_type === typeName) &&
    (body.magic == null || body.magic === magic) &&
    (body.symbol == null || body.symbol === symbol)
  );
}
