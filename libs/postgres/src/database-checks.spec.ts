import { databaseUrlProblem } from './database-checks';

describe('the URL of a database', () => {
  it.each([
    'postgres://daemon:secret@db.example/trading?sslmode=verify-full',
    'postgresql://daemon@10.0.0.5:5433/trading?sslmode=disable',
    'postgres://daemon@localhost/trading',
    'postgres://daemon@127.0.0.1:5432/trading',
    'postgres://daemon@%2Frun%2Fpostgresql/trading',
  ])('is accepted: %s', (url) => {
    expect(databaseUrlProblem(url)).toBeNull();
  });

  it.each([
    ['mysql://daemon@localhost/trading', 'must begin with postgres:// or postgresql://'],
    ['postgres://daemon:secret@db.example/trading', 'needs sslmode=verify-full, or sslmode=disable'],
    ['postgres://daemon@db.example/trading?sslmode=require', 'has an sslmode other than verify-full and disable'],
    ['postgres://daemon@db.example/trading?sslmode=no-verify', 'has an sslmode other than verify-full and disable'],
    ['postgres://daemon@db.example/trading?sslmode=verify-full&sslmode=disable', 'has sslmode more than once'],
    ['postgres://daemon@db.example/trading?ssl%6dode=no-verify', 'has an sslmode other than verify-full and disable'],
    ['postgres://daemon:se cret@db.example:port/trading', 'is not a valid URL'],
    [
      'postgres://daemon@db.example/trading?sslmode=verify-full&sslrootcert=/none.pem',
      'names a certificate that cannot be read: ENOENT: no such file or directory',
    ],
  ])('is refused: %s', (url, problem) => {
    expect(databaseUrlProblem(url)).toContain(problem);
    expect(databaseUrlProblem(url)).not.toContain('cret');
  });
});
