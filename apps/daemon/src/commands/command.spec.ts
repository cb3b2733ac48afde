import { commandOf } from './command';

describe('the text of a command', () => {
  const halt = { command: 'halt', name: 'one', reason: 'news' };
  const settle = { command: 'settle', name: 'one', key: 'k', order: 7 };

  it.each([
    { command: 'dump' },
    { command: 'reload' },
    { command: 'records', names: ['one'] },
    { ...halt, command: 'flatten' },
    { command: 'resume', name: 'one' },
    halt,
    settle,
    { ...settle, order: null },
  ])('is parsed: %j', (command) => expect(commandOf(JSON.stringify(command))).toEqual(command));

  it.each([
    '{',
    'null',
    '{"command":"format"}',
    '{"command":"resume"}',
    '{"command":"records","names":[7]}',
    '{"command":"halt","name":"one"}',
    JSON.stringify({ ...settle, order: '7' }),
    JSON.stringify({ ...settle, order: 7.5 }),
    JSON.stringify({ ...settle, key: undefined }),
  ])('is not a command: %s', (text) => expect(commandOf(text)).toBeNull());
});
