import type { AchievementItem } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { sessionKeyOf } from '../live/data/key.ts'
import { oneLine } from '../sessions/plain.ts'

const LONGEST = 120

/** The session that shows it, opened in Sessions. What does not say whose it is is Hermes'. */
export function EvidenceLink({
  evidence: { session_id, title, source = 'hermes' },
}: {
  readonly evidence: NonNullable<AchievementItem['evidence']>
}) {
  const shown = oneLine(title === '' ? session_id : title, LONGEST)
  return (
    <Link
      to="/sessions"
      search={{ session: sessionKeyOf({ source, session_id }) }}
      title={shown}
      className="underline decoration-line-strong underline-offset-3 transition-colors hover:text-text"
    >
      {shown}
    </Link>
  )
}
