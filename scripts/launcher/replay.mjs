export function replayFeed() {
  return {};
}
export async function followReplay() {}
