/** An id contains its time of creation: twelve digits, of which the last three count within a millisecond. */
const ID = /^[a-z]+_([0-9a-f]{9})[0-9a-f]{3}/
const SPAN = 2 ** 36

const FORK = /\(fork #\d+\)$/

interface Session {
  readonly title: string | null
  readonly created: number | null
}

/**
 * True when a fork copied the message from another session: it was written before its session began, but its
 * id is newer. It counts in the session that wrote it.
 */
export function isCopied(id: string, ts: number | null, { title, created }: Session): boolean {
  if (ts === null || created === null || ts >= created) return false
  const digits = ID.exec(id)?.[1]
  if (digits === undefined) return FORK.test(title ?? '')
  // The digits hold only the low part of the time; the rest is that of the session.
  const since = (Number.parseInt(digits, 16) - (created % SPAN) + SPAN) % SPAN
  return since < SPAN / 2
}
