import type { TemplateReply } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { EvidenceLink } from '../achievements/evidence-link.tsx'
import { toSessionKey } from '../live/data/agent-key.ts'
import { oneLine } from '../sessions/visible-text.ts'
import { words } from '../words.ts'

const w = words.templates.panel
const LONGEST = 80
const SHORT = 24

/** Links the session of a template. */
export function OriginLink({ reply }: { readonly reply: TemplateReply }) {
  const { notes, place } = reply
  const id = reply.template.source_session_id
  if (id === null || id === '') return w.fromUnknown
  const title = notes?.title ?? w.fromSession(oneLine(id, SHORT))
  return (
    <>
      {w.from}{' '}
      {notes?.source == null ? (
        <EvidenceLink evidence={{ session_id: id, title }} view={place === 'hermes' ? 'hermes' : 'all'} />
      ) : (
        <Link
          to="/sessions"
          search={{ session: toSessionKey({ source: notes.source, session_id: id }) }}
          className="underline decoration-line-strong underline-offset-3 transition-colors hover:text-text"
        >
          {oneLine(title, LONGEST)}
        </Link>
      )}
    </>
  )
}
