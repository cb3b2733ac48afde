/**
 * The commands of a page that a reader is to run, in order: blocks marked `sh`, and blocks marked `sh server`, which run in a
 * terminal of their own until Ctrl-C. Other blocks are examples.
 */
export function commandsOf(page) {
  return [...page.matchAll(/^ *```sh( server)?\n(.*?)^ *```$/gms)].map(([, server, text]) => ({
    isServer: server !== undefined,
    text,
  }));
}
