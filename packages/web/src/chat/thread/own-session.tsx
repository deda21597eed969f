import type { StoredChatMessage } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../design/icon.tsx'
import { sessionKeyOf } from '../../live/data/key.ts'
import { words } from '../../words.ts'
import { isRecord } from '../state/run-view.ts'

/** The session in which a runtime did what it did, where it keeps one that can be read here. */
export function OwnSession({ message }: { readonly message: StoredChatMessage }) {
  const told = message.attachments.find(({ kind }) => kind === 'session')?.data
  if (!isRecord(told) || typeof told.source !== 'string' || typeof told.session_id !== 'string') return null
  const key = sessionKeyOf({ source: told.source, session_id: told.session_id })
  return (
    <Link
      to="/sessions"
      search={{ session: key }}
      className="inline-flex h-6.5 items-center gap-1.5 rounded-control px-1.5 text-11 text-text-3 hover:bg-high hover:text-text touch:h-11"
    >
      <Icon name="events" size={14} />
      {words.chat.thread.ownSession}
    </Link>
  )
}
