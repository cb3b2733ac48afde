import { ApiProperty } from '@nestjs/swagger';
import { signalSourceFields, signalTakenFields } from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';
import { SignalEntry } from '../streams/signal.response';
import { keyOfStep, type SignalRow } from './signal-row';

export class SignalsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SignalEntry] })
  data: readonly SignalEntry[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

export class SignalTakenResponse extends documentedAnswer(signalTakenFields) {}

export class SignalSourceFields extends documented(signalSourceFields) {}

/** An alert as clients see it. */
export function signalEntry(row: SignalRow): SignalEntry {
  const { number, source, identity, receivedAtMs, text, symbol, state, reason, gap, endedAtMs } = row;
  return {
    number,
    source,
    id: identity,
    received_at: new Date(receivedAtMs).toISOString(),
    alert: text,
    symbol,
    state,
    reason,
    gap,
    ended_at: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    requests: (row.steps ?? []).map((step, index) => {
      const result = row.results[index];
      return {
        key: keyOfStep(row, index),
        request: step.text,
        state: result?.state ?? null,
        text: result?.text ?? null,
        order: result?.order ?? null,
      };
    }),
  };
}
