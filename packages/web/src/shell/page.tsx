import { type ReactNode, useEffect } from 'react'
import { useMe } from '../api/me.ts'
import { awaySince } from '../api/request.ts'
import { Eye } from '../design/eye.tsx'
import { Icon } from '../design/icon.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import type { Link } from '../stream/socket.ts'
import { words } from '../words.ts'
import { Who } from './account.tsx'
import { AwayBanner } from './outage-banner.tsx'
import { openPalette } from './overlays.ts'
import { nameTab } from './tab-title.ts'
import { modKey } from './use-keys.ts'
import { useNow } from './use-now.ts'

/** A page under the top bar. */
export function Page({
  title,
  sub,
  beside,
  children,
}: {
  readonly title: string
  readonly sub?: string
  /** Content beside the title. */
  readonly beside?: ReactNode
  readonly children: ReactNode
}) {
  const hasPeople = useMe() !== null
  useEffect(() => {
    nameTab(title)
  }, [title])
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
      <header className="flex h-12 shrink-0 items-center gap-3 border-b border-line px-4">
        <span className="desk:hidden">
          <Eye size={26} />
        </span>
        <h1 className="truncate text-15 font-semibold max-desk:text-18">{title}</h1>
        {sub !== undefined && <p className="truncate text-12 text-text-3 max-desk:hidden">{sub}</p>}
        {beside}
        <div className="ml-auto flex items-center gap-3 max-desk:gap-1">
          <button
            type="button"
            className="flex items-center gap-2.5 rounded-control text-text-3 transition-colors hover:text-text-2 max-desk:order-last max-desk:h-11 max-desk:w-11 max-desk:justify-center desk:h-7.5 desk:w-62 desk:border desk:border-line desk:bg-raised desk:px-2.5 desk:hover:border-line-strong"
            onClick={openPalette}
          >
            <Icon name="search" />
            <span className="text-12 max-desk:sr-only">{words.topBar.find}</span>
            <span className="ml-auto max-desk:hidden">
              <KeyCap>{modKey}K</KeyCap>
            </span>
          </button>
          <Connection isShort={hasPeople || beside !== undefined} />
          <Who />
        </div>
      </header>
      <AwayBanner />
      <main id="page" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        {children}
      </main>
    </div>
  )
}

type ConnectionState = Link | 'away'

const looks: Record<ConnectionState, { readonly color: string; readonly word: string }> = {
  connected: { color: 'text-done', word: words.topBar.connected },
  connecting: { color: 'text-text-3', word: words.topBar.connecting },
  reconnecting: { color: 'text-stuck', word: words.topBar.reconnecting },
  disconnected: { color: 'text-failed', word: words.topBar.disconnected },
  away: { color: 'text-stuck', word: words.topBar.databaseAway },
}

/** Shows the connection as a sign with a word; on a narrow phone, a good connection is only the sign. */
function Connection({ isShort }: { readonly isShort: boolean }) {
  const { link, retryAt } = useStore(pageTail.state)
  // The stream can stay open while the database is down, so an open stream alone does not count as connected.
  const look: ConnectionState = useStore(awaySince) === null ? link : 'away'
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
