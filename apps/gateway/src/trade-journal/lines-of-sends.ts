/**
 * Which lines of the audit log a start needs when the journal may be lost: sends with their outcomes, voids, fences, and the
 * newest line that has the mark of a journal. Refusals, of which there may be ten thousands, are not among them.
 * @returns to be called with the text of each line, the newest first
 */
export function linesOfSends(): (text: string) => boolean {
  let isMarked = false;
  return (text) => {
    if (/"intent_id":"|"event":"(voided|fence_raised)"/.test(text)) return true;
    // A line that a crash cut short is not parsed, so its mark does not count.
    const hasMark =
      !isMarked && text.endsWith('}') && /"journal_id":"/.test(text) && /"journal_sequence":\d/.test(text);
    isMarked ||= hasMark;
    return hasMark;
  };
}
