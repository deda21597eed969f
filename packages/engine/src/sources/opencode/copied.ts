/** An id has the time it was made in it: twelve digits, of which the last three count within a millisecond. */
const ID = /^[a-z]+_([0-9a-f]{9})[0-9a-f]{3}/
const SPAN = 2 ** 36

const FORK = /\(fork #\d+\)$/

interface Session {
  readonly title: string | null
  readonly created: number | null
}

/**
 * Whether a message was copied into a session when it was forked from another: it was written before its session began, and got its
 * id afterwards. It counts in the session it was written in.
 */
export function isCopied(id: string, ts: number | null, { title, created }: Session): boolean {
  if (ts === null || created === null || ts >= created) return false
  const digits = ID.exec(id)?.[1]
  if (digits === undefined) return FORK.test(title ?? '')
  // The digits have no room for the whole time: what they leave out is that of the session.
  const since = (Number.parseInt(digits, 16) - (created % SPAN) + SPAN) % SPAN
  return since < SPAN / 2
}
