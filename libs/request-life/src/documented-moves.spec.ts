import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { effects } from './request-event';
import { moveNames, requestMoves, type Move } from './request-moves';
import { requestStates, sendStates, type RequestState, type SendState } from './request-state';
import { sendMoves } from './send-moves';

const page = readFileSync(join(__dirname, '../../../docs/trade-path.md'), 'utf8');
const states = Object.keys(requestStates) as RequestState[];
const code = (word: string): string => `\`${word}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const [first, ...others] = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [first, `|${head.map(() => '---').join('|')}|`, ...others].join('\n');
}

function rowOf(state: RequestState): string[] {
  const byResult = new Map<string, string[]>();
  for (const [name, move] of Object.entries(requestMoves[state])) {
    if (!('to' in move)) continue;
    byResult.set(resultOf(move), [...(byResult.get(resultOf(move)) ?? []), code(name)]);
  }
  const moves = [...byResult].map(([result, names]) => `${names.join(', ')} → ${result}`);
  return [code(state), requestStates[state], moves.join('; ')];
}

function resultOf(move: Extract<Move, { readonly to: RequestState }>): string {
  return move.effects.length === 0 ? code(move.to) : `${code(move.to)} (${move.effects.map(code).join(', ')})`;
}

/** The tables of the page. */
function rendered(): string[] {
  const named = (all: Readonly<Record<string, string>>) =>
    Object.entries(all).map(([name, text]) => [code(name), text]);
  const sends = (Object.keys(sendStates) as SendState[]).map((send) => [
    ...[code(send), sendStates[send]],
    Object.entries(sendMoves[send])
      .map(([event, to]) => (event === to ? code(event) : `${code(event)} → ${code(to)}`))
      .join('; '),
  ]);
  return [
    table(['state', 'meaning', 'events'], states.map(rowOf)),
    table(['event', 'meaning'], named(moveNames)),
    table(['effect', 'what the gateway does'], named(effects)),
    table(['send', 'meaning', 'events'], sends),
  ];
}

describe('docs/trade-path.md', () => {
  it.each(rendered().map((text) => [text.split('\n', 1)[0] ?? '', text]))('has the table %s', (_head, text) => {
    expect(page).toContain(text);
  });
});
