import { awaySince } from '../api/request.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import type { Link } from '../stream/socket.ts'
import { words } from '../words.ts'
import { useNow } from './use-now.ts'

type Look = Link | 'away'

const looks: Record<Look, { readonly color: string; readonly word: string }> = {
  connected: { color: 'text-done', word: words.topBar.connected },
  connecting: { color: 'text-text-3', word: words.topBar.connecting },
  reconnecting: { color: 'text-stuck', word: words.topBar.reconnecting },
  disconnected: { color: 'text-failed', word: words.topBar.disconnected },
  away: { color: 'text-stuck', word: words.topBar.databaseAway },
}

/** ● ○ ✕ with the word beside it. Where room is short on a phone, that all is well is said by the sign alone. */
export function Connection({ isShort }: { readonly isShort: boolean }) {
  const { link, retryAt } = useStore(pageTail.state)
  // A stream that stays open while nothing can be read is no connection to what one wants to see.
  const look: Look = useStore(awaySince) === null ? link : 'away'
  const { color, word } = looks[look]
  return (
    <div className="flex items-center gap-2 text-12 whitespace-nowrap">
      <svg className={`shrink-0 ${color}`} width="10" height="10" viewBox="0 0 10 10" aria-hidden>
        {look === 'connected' && <circle cx="5" cy="5" r="4.5" fill="currentColor" />}
        {(look === 'connecting' || look === 'reconnecting' || look === 'away') && (
          <circle cx="5" cy="5" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
        )}
        {look === 'disconnected' && (
          <path d="m1.5 1.5 7 7m0-7-7 7" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
        )}
      </svg>
      <span
        role="status"
        className={`text-text-2 ${isShort && look === 'connected' ? 'max-desk:sr-only' : ''}`}
      >
        {word}
      </span>
      {look === 'disconnected' && retryAt !== null && <Retry at={retryAt} />}
    </div>
  )
}

function Retry({ at }: { readonly at: number }) {
  const now = useNow()
  return (
    <button
      type="button"
      className="text-text-3 underline decoration-line-strong underline-offset-2 hover:text-text max-desk:hidden"
      title={words.topBar.retryIn(at - now)}
      onClick={pageTail.retry}
    >
      {words.actions.tryAgain}
    </button>
  )
}
