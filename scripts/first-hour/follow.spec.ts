import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const milestones = "[{ name: 'the order', command: /order/, prints: /executed/ }]";

/** Follows a page in the current folder; the modules are made for Node itself and not for Jest. */
function follow(page: string): { status: number | null; stdout: string; stderr: string } {
  const text = `
    import { commandsOf } from ${JSON.stringify(join(__dirname, 'page-commands.mjs'))};
    import { follow } from ${JSON.stringify(join(__dirname, 'follow.mjs'))};
    const user = { prefix: [], env: { PATH: process.env.PATH } };
    const commands = commandsOf(${JSON.stringify(page)}).map((command) => ({ page: 'PAGE.md', ...command }));
    const report = (name) => console.log('reached', name);
    await follow(commands, ${milestones}, { user, folder: '/', env: {}, report }).catch((error) => {
      console.error(error.message);
      process.exitCode = 1;
    });`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' });
}
const block = (commands: string): string => `text\n\n\`\`\`sh\n${commands}\n\`\`\`\n`;

describe('the commands of a page', () => {
  it('run in one shell, one block after the other', () => {
    const page = `${block('STATE=executed')}\`\`\`\nan example, not run\n\`\`\`\n${block('echo "order $STATE"')}`;
    expect(follow(page)).toMatchObject({ status: 0, stdout: 'reached the order\n', stderr: '' });
  });

  it.each([
    ['a command fails', 'ls /no-such-folder; echo order executed', 'PAGE.md: this failed'],
    ['a part of a pipeline fails', 'TICKET=$(false | cat); echo order executed', 'PAGE.md: this failed'],
    ['a request is refused', 'curl -s http://127.0.0.1:1/order; echo executed', 'PAGE.md: this failed'],
    ['a command does not do what it is for', 'echo order denied', '"the order" does not show in the output'],
    ['a command is missing', 'echo executed', 'no command of the pages leads to "the order"'],
  ])('are red when %s', (_, commands, message) => {
    expect(follow(block(commands))).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(message) });
  });
});
