import { type ReactNode, useEffect } from 'react'
import { useMe } from '../api/me.ts'
import { Eye } from '../design/eye.tsx'
import { Icon } from '../design/icon.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { words } from '../words.ts'
import { AwayBanner } from './away.tsx'
import { Connection } from './connection.tsx'
import { openPalette } from './overlays.ts'
import { nameTab } from './tab-title.ts'
import { modKey } from './use-keys.ts'
import { Who } from './who.tsx'

/** A page under the top bar. */
export function Page({
  title,
  sub,
  beside,
  children,
}: {
  readonly title: string
  readonly sub?: string
  /** What stands beside the title. */
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
          <Connection isShort={hasPeople} />
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
