/** The file with which the log checks that its disk takes writes. */
export function probePath(path: string): string {
  return `${path}.probe`;
}
