import type { AchievementsView } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Link, useNavigate } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { findEvidenceKey, likelyKey, type NamedSession } from './evidence.ts'

const LONGEST = 120

/** Links the session that proves it. */
export function EvidenceLink({
  evidence,
  view,
}: {
  readonly evidence: Pick<NamedSession, 'session_id' | 'title' | 'source'>
  readonly view: AchievementsView
}) {
  const { session_id: id, title } = evidence
  const navigate = useNavigate()
  const shown = toVisibleLine(title === '' ? id : title, LONGEST)
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    void findEvidenceKey(evidence, view).then((session) => navigate({ to: '/sessions', search: { session } }))
  }
  return (
    <Link
      to="/sessions"
      search={{ session: likelyKey(evidence, view) }}
      onClick={open}
      title={shown}
      className="underline decoration-line-strong underline-offset-3 transition-colors hover:text-text"
    >
      {shown}
    </Link>
  )
}
