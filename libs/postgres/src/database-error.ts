/** The database cannot be used; nothing in it was changed. The message never contains the URL's password. */
export class DatabaseError extends Error {}

/** An error of the connection or of the server in one line. */
export function databaseProblem(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  // Node tries every address of a host name, and puts their errors into one without a message.
  if ('errors' in error && Array.isArray(error.errors))
    return [...new Set(error.errors.map(databaseProblem))].join('; ');
  return 'message' in error ? String(error.message) : 'unknown error';
}
