import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useUnlockNews } from '../achievements/use-unlock-news.ts'
import { signedOut } from '../api/request.ts'
import { useBudgetAlerts } from '../budgets/use-budget-alerts.ts'
import { Toasts } from '../design/toast.tsx'
import { useAlerts } from '../live/alerts/use-alerts.ts'
import { useNeedsKey, useNeedsYou } from '../live/needs-you.tsx'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { making } from '../templates/making.ts'
import { words } from '../words.ts'
import { useHubParts } from './away.tsx'
import { navItems } from './nav.ts'
import { openKeys, openPalette, overlay } from './overlays.ts'
import { Rail } from './rail.tsx'
import { SignedOut } from './signed-out.tsx'
import { tabNeeds } from './tab-title.ts'
import { useKeys } from './use-keys.ts'
import { usePreload } from './use-preload.ts'

const loadPalette = () => import('./palette.tsx')
const loadKeys = () => import('./keys-dialog.tsx')
const Palette = lazy(loadPalette)
const KeysDialog = lazy(loadKeys)
const MoreSheet = lazy(() => import('./more-sheet.tsx'))
const MakeDialog = lazy(() => import('../templates/make/make-dialog.tsx'))
const overlays = [loadPalette, loadKeys, () => import('../design/menu.tsx')]

/** The window: rail, page, and what lies over them. */
export function Shell() {
  const out = useStore(signedOut)
  const over = useStore(overlay)
  const makes = useStore(making) !== null
  useLostConnection()
  useHubParts()
  usePageKeys()
  useAlerts()
  useBudgetAlerts()
  useUnlockNews()
  useNeedsKey()
  useTabCount()
  usePreload(overlays)
  if (out) return <SignedOut />
  return (
    <div className="flex h-full overflow-clip max-desk:flex-col">
      <a
        href="#page"
        className="fixed -top-16 left-2 z-50 rounded-control bg-gold px-3 py-3 text-gold-ink focus:top-2"
      >
        {words.nav.skip}
      </a>
      <Rail />
      <Outlet />
      <Toasts />
      <Suspense>
        {over === 'palette' && <Palette />}
        {over === 'keys' && <KeysDialog />}
        {over === 'more' && <MoreSheet />}
        {makes && <MakeDialog />}
      </Suspense>
    </div>
  )
}

/** How many agents need someone stands in the tab's title, whatever page is open. */
function useTabCount() {
  const needs = useNeedsYou().length
  useEffect(() => tabNeeds.set(needs), [needs])
}

function usePageKeys() {
  const navigate = useNavigate()
  const pages = navItems.map((page) => [page.key, () => void navigate({ to: page.to })] as const)
  useKeys({ ...Object.fromEntries(pages), 'mod+k': openPalette, '?': openKeys })
}

/** A refused WebSocket does not say why; the next request does, so that a signed-out page shows itself. */
function useLostConnection() {
  const client = useQueryClient()
  const { link } = useStore(pageTail.state)
  const before = useRef(link)
  useEffect(() => {
    // What is read as the page opens is as new as the first connection.
    const isFirst = before.current === 'connecting' && link === 'connected'
    before.current = link
    if (link === 'connecting' || isFirst) return
    void client.invalidateQueries()
  }, [client, link])
}
