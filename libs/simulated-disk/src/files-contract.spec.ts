import type { Files, OpenFile } from '@libs/files';
import { lastBytes } from '@libs/files';
import { diskSubjects, type DiskSubject } from './testing/disk-subjects';

describe.each(diskSubjects)('files on %s', (_name, makeDisk) => {
  let disk: DiskSubject;
  let files: Files;
  const path = (name: string): string => disk.path(name);
  beforeEach(() => {
    disk = makeDisk();
    files = disk.files;
  });
  afterEach(() => disk.end());

  const open: OpenFile[] = [];
  const opened = async (...[name, flag]: [string, Parameters<Files['open']>[1]]): Promise<OpenFile> => {
    const file = await files.open(path(name), flag, 0o600);
    open.push(file);
    return file;
  };
  afterEach(async () => {
    for (const file of open.splice(0)) await file.close();
  });
  const written = async (name: string, text: string): Promise<OpenFile> => {
    const file = await opened(name, 'a+');
    await file.appendFile(text);
    await file.datasync();
    return file;
  };
  const facts = (name: string): ReturnType<Files['stat']> => files.stat(path(name), { bigint: true });
  const identity = async (of: Promise<{ dev: bigint; ino: bigint }>): Promise<string> => {
    const { dev, ino } = await of;
    return `${dev}:${ino}`;
  };
  /** Code and text of the error, without the folder of the disk. */
  const refusal = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'done',
      (error: unknown) => (error as Error).message.replaceAll(path('x').slice(0, -2), '').replace(/^Error: /, ''),
    );

  describe('appending', () => {
    it('adds at the end of the file, over opens', async () => {
      await written('log', 'one\n');
      const file = await written('log', 'zwei é\n');
      expect(disk.text('log')).toBe('one\nzwei é\n');
      expect((await file.stat({ bigint: true })).size).toBe(12n);
      expect((await lastBytes(file, 1_000)).toString()).toBe('one\nzwei é\n');
      expect((await lastBytes(file, 5)).toString()).toBe(' é\n'.padStart(4, 'i'));
    });

    it('keeps what was synced over a crash', async () => {
      await written('log', 'one\n');
      // No call on a file of the dead program ends, so it is closed before.
      await open.pop()?.close();
      disk.crash();
      files = disk.files;
      expect(disk.text('log')).toBe('one\n');
    });

    it('starts again with the flag w', async () => {
      await written('log', 'long text\n');
      const file = await opened('log', 'w');
      await file.appendFile('a');
      await file.appendFile('b');
      expect(disk.text('log')).toBe('ab');
    });

    it('of nothing changes nothing', async () => {
      const file = await opened('log', 'a+');
      await file.appendFile('');
      expect([disk.text('log'), (await lastBytes(file, 10)).length]).toEqual(['', 0]);
    });
  });

  describe('a file that is open', () => {
    it('stays the same file when it is moved', async () => {
      const file = await written('log', 'one\n');
      disk.move('log', 'old');
      await file.appendFile('two\n');
      await file.datasync();
      expect(disk.text('old')).toBe('one\ntwo\n');
      expect(await identity(facts('old'))).toBe(await identity(file.stat({ bigint: true })));
      expect(await refusal(facts('log'))).toBe("ENOENT: no such file or directory, stat '/log'");
    });

    it('lives on without a name when it is removed', async () => {
      const file = await written('log', 'one\n');
      await files.rm(path('log'));
      await file.appendFile('two\n');
      expect((await lastBytes(file, 100)).toString()).toBe('one\ntwo\n');
      await written('log', 'new\n');
      expect(await identity(facts('log'))).not.toBe(await identity(file.stat({ bigint: true })));
      expect(disk.text('log')).toBe('new\n');
    });

    it('differs from the file that replaces it', async () => {
      const file = await written('log', 'one\n');
      await written('log.new', 'two\n');
      await files.rename(path('log.new'), path('log'));
      expect(disk.text('log')).toBe('two\n');
      expect(await identity(facts('log'))).not.toBe(await identity(file.stat({ bigint: true })));
      expect(await refusal(facts('log.new'))).toBe("ENOENT: no such file or directory, stat '/log.new'");
    });

    it.each<[string, Parameters<Files['open']>[1], (file: OpenFile) => Promise<unknown>, string]>([
      ['to append is not read', 'a', (file) => file.read(Buffer.alloc(4), 0, 4, 0), 'EBADF: bad file descriptor, read'],
      [
        'to overwrite is not read',
        'w',
        (file) => file.read(Buffer.alloc(4), 0, 4, 0),
        'EBADF: bad file descriptor, read',
      ],
      ['to read is not written', 'r', (file) => file.appendFile('x'), 'EBADF: bad file descriptor, write'],
    ])('%s', async (_case, flag, act, expected) => {
      await written('log', 'one\n');
      expect(await refusal(act(await opened('log', flag)))).toBe(expected);
    });

    it('takes no calls once it is closed, but another close', async () => {
      const file = await written('log', 'one\n');
      await file.close();
      await file.close();
      const codes = [file.appendFile('x'), file.datasync(), file.sync(), file.stat({ bigint: true })].map((call) =>
        call.then(
          () => 'done',
          (error: unknown) => (error as { code?: string }).code,
        ),
      );
      expect(await Promise.all(codes)).toEqual(['EBADF', 'EBADF', 'EBADF', 'EBADF']);
    });
  });

  describe('folders', () => {
    it('are made with those above them, and again', async () => {
      await files.mkdir(path('a/b/c'), { recursive: true, mode: 0o700 });
      await files.mkdir(path('a/b/c'), { recursive: true });
      expect([(await facts('a/b/c')).isDirectory(), (await facts('a')).isDirectory()]).toEqual([true, true]);
    });

    it('have the names of what is directly in them', async () => {
      await files.mkdir(path('a/b'), { recursive: true });
      await written('a/log', 'one\n');
      await written('a/b/deep', 'one\n');
      expect((await files.readdir(path('a'))).sort()).toEqual(['b', 'log']);
      expect(await files.readdir(path('a/b'))).toEqual(['deep']);
    });

    it('are opened to be synced, and not to be read', async () => {
      disk.makeFolder('a');
      const folder = await opened('a', 'r');
      await folder.sync();
      expect(await refusal(folder.read(Buffer.alloc(4), 0, 4, 0))).toBe(
        'EISDIR: illegal operation on a directory, read',
      );
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["ENOENT: no such file or directory, open '/none'", () => files.open(path('none'), 'r')],
    ["ENOENT: no such file or directory, open '/none/x'", () => files.open(path('none/x'), 'a')],
    ["ENOENT: no such file or directory, stat '/none/x'", () => files.stat(path('none/x'), { bigint: true })],
    ["ENOENT: no such file or directory, scandir '/none'", () => files.readdir(path('none'))],
    ["ENOTDIR: not a directory, scandir '/file'", () => files.readdir(path('file'))],
    ["ENOENT: no such file or directory, lstat '/none'", () => files.rm(path('none'))],
    ["ENOENT: no such file or directory, rename '/none' -> '/x'", () => files.rename(path('none'), path('x'))],
    ["EISDIR: illegal operation on a directory, open '/folder'", () => files.open(path('folder'), 'a')],
    ["EISDIR: illegal operation on a directory, open '/folder'", () => files.open(path('folder'), 'w')],
    [
      "EISDIR: illegal operation on a directory, rename '/file' -> '/folder'",
      () => files.rename(path('file'), path('folder')),
    ],
    [
      'Path is a directory: rm returned EISDIR (is a directory) /folder',
      () => files.rm(path('folder'), { force: true }),
    ],
    ["ENOTDIR: not a directory, open '/file/x'", () => files.open(path('file/x'), 'a')],
    ["ENOTDIR: not a directory, stat '/file/x'", () => files.stat(path('file/x'), { bigint: true })],
    ["ENOTDIR: not a directory, lstat '/file/x'", () => files.rm(path('file/x'), { force: true })],
    ["ENOTDIR: not a directory, mkdir '/file/x'", () => files.mkdir(path('file/x'), { recursive: true })],
    ["EEXIST: file already exists, mkdir '/file'", () => files.mkdir(path('file'), { recursive: true })],
    ['done', () => files.rm(path('none'), { force: true })],
    ['done', () => files.rm(path('none/x'), { force: true })],
    ['done', () => files.rename(path('file'), path('other'))],
  ])('report in the words of the system: %s', async (expected, call) => {
    disk.makeFolder('folder');
    disk.replace('file', 'x');
    expect(await refusal(call())).toBe(expected);
  });
});
