import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { parsePatch, planted, plantedBugs, readBug } from './planted-bug.cjs';

const root = join(__dirname, '../..');
const text = `What is wrong.

--- a/x.ts
+++ b/x.ts
@@ -1,3 +1,3 @@
 one
-two
+three
 four
`;

describe('a planted bug', () => {
  it.each(plantedBugs())('%s applies exactly once, and still compiles', (name) => {
    const bug = readBug(name);
    for (const file of new Set(bug.changes.map((change) => change.file))) {
      const path = join(root, file);
      const source = readFileSync(path, 'utf8');
      const changed = planted(bug, path, source);
      expect(changed).not.toBe(source);
      transformSync(changed, { jsc: { parser: { syntax: 'typescript', decorators: true } } });
    }
  });

  it('changes its lines and leaves all other files as they are', () => {
    const bug = parsePatch('example', text);
    expect(bug.why).toBe('What is wrong.');
    expect([bug.on, parsePatch('example', `Wrong.\non: netting, end of a day${text.slice(14)}`).on]).toEqual([
      [],
      ['netting', 'end of a day'],
    ]);
    expect(planted(bug, join(root, 'x.ts'), 'zero\none\ntwo\nfour\nfive\n')).toBe('zero\none\nthree\nfour\nfive\n');
    expect(planted(bug, join(root, 'y.ts'), 'one\ntwo\nfour\n')).toBe('one\ntwo\nfour\n');
  });

  it.each([
    ['not at all', 'one\nfour\n', 0],
    ['twice', 'one\ntwo\nfour\none\ntwo\nfour\n', 2],
  ])('is refused when it applies %s', (_case, source, times) => {
    const apply = (): string => planted(parsePatch('example', text), join(root, 'x.ts'), source);
    expect(apply).toThrow(`the planted bug example applies ${times} times to x.ts, not once`);
  });

  it('is refused when its file is not a diff, and when there is no such bug', () => {
    expect(() => parsePatch('example', 'What is wrong.\n')).toThrow('example.patch is not a unified diff');
    expect(() => readBug('none')).toThrow('there is no planted bug none');
  });
});
