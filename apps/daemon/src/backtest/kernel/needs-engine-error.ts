/** The kernel does not know something that a run needs: the full engine has to run it. The message is the reason. */
export class NeedsEngineError extends Error {}
