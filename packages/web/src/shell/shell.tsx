import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useUnlockNews } from '../achievements/use-unlock-news.ts'
import { queryClient } from '../api/client.ts'
import { meQuery } from '../api/me.ts'
import { pageLoader } from '../api/page-loader.ts'
import { signedOut } from '../api/request.ts'
import { TodaysMoney } from '../budgets/todays-money.tsx'
import { useBudgetAlerts } from '../budgets/use-budget-alerts.ts'
import { Button } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { Command } from '../design/code.tsx'
import { Empty } from '../design/empty.tsx'
import { Eye } from '../design/eye.tsx'
import { Icon } from '../design/icon.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { Toasts } from '../design/toast.tsx'
import { useAlerts } from '../live/alerts/use-alerts.ts'
import { NeedsYou, useNeedsKey, useNeedsYou } from '../live/needs-you.tsx'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { makeDialog } from '../templates/make-dialog-state.ts'
import { words } from '../words.ts'
import { usePageKeys } from './global-keys.ts'
import { navItems } from './nav.ts'
import { useHubParts } from './outage-banner.tsx'
import { openKeys, openMore, overlay } from './overlays.ts'
import { nameTab, tabNeeds } from './tab-title.ts'
import { chooseTheme, otherTheme, themeShown } from './theme.ts'

const loadPalette = () => import('./palette.tsx')
const loadKeys = () => import('./keys-dialog.tsx')
const Palette = lazy(loadPalette)
const KeysDialog = lazy(loadKeys)
const MoreSheet = lazy(() => import('./more-sheet.tsx'))
const MakeDialog = lazy(() => import('../templates/make/make-dialog.tsx'))
const overlays = [loadPalette, loadKeys, () => import('../design/menu.tsx')]

/** The window: the rail, the page, and everything over them. */
export function Shell() {
  const out = useStore(signedOut)
  const over = useStore(overlay)
  const makes = useStore(makeDialog) !== null
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

/** Shows the number of agents that need someone in the tab's title on every page. */
function useTabCount() {
  const needs = useNeedsYou().length
  useEffect(() => tabNeeds.set(needs), [needs])
}

/**
 * A refused WebSocket gives no reason. The next request does, so queries are fetched again and reveal a
 * signed-out browser.
 */
function useLostConnection() {
  const client = useQueryClient()
  const { link } = useStore(pageTail.state)
  const before = useRef(link)
  useEffect(() => {
    // Queries of the opening page are as new as the first connection, so nothing is fetched again then.
    const isFirst = before.current === 'connecting' && link === 'connected'
    before.current = link
    if (link === 'connecting' || isFirst) return
    void client.invalidateQueries()
  }, [client, link])
}

const QUIET_MS = 1_500

/** Loads the code of the other pages ahead, so that they open at once and even without a connection. */
function usePreload(load: readonly (() => Promise<unknown>)[]): void {
  const router = useRouter()
  useEffect(() => {
    const timer = setTimeout(() => {
      const pages = [...navItems.map((page) => page.to), '/settings/events' as const].map(
        (to) => () => router.preloadRoute({ to }),
      )
      for (const one of [...pages, ...load]) void one().catch(() => undefined)
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [router, load])
}

const w = words.signedOut
const t = words.team.signedOut

/** Shown when the server does not know this browser. */
function SignedOut() {
  useEffect(() => {
    tabNeeds.set(0)
    nameTab(w.tab)
    pageTail.stop()
  }, [])
  // The cached reply still says whether this was a team.
  if (queryClient.getQueryData(meQuery.queryKey)?.team)
    return (
      <main className="flex h-full flex-col bg-surface">
        <Empty title={t.title} eye level={1}>
          <p className="text-text-2">{t.body}</p>
          <div>
            <Button kind="main" onClick={() => pageLoader.load('/')}>
              {t.again}
            </Button>
          </div>
        </Empty>
      </main>
    )
  return (
    <main className="flex h-full flex-col bg-surface">
      <Empty title={w.title} eye level={1}>
        <p className="text-text-2">{w.body}</p>
        <Command text={w.command} />
        <p className="text-12 text-text-3">{w.orInstalled}</p>
        <Command text={w.installed} />
        <p className="text-12 text-text-3">{w.again}</p>
        <div>
          <Button kind="main" onClick={pageLoader.reload}>
            {w.tryAgain}
          </Button>
        </div>
      </Empty>
    </main>
  )
}

/**
 * The navigation: names and keys on a wide screen, icons from 1280 pixels down, and a bar at the bottom of a
 * phone.
 */
function Rail() {
  return (
    <nav
      aria-label={words.nav.label}
      className="flex shrink-0 flex-col border-line bg-app max-desk:order-last max-desk:border-t desk:w-14 desk:border-r wide:w-49"
    >
      <div className="hidden h-12 items-center gap-2.5 px-4.5 text-15 font-semibold desk:flex">
        <Eye />
        <span className="hidden wide:inline">{words.product}</span>
      </div>
      <div className="flex gap-0.5 max-desk:justify-around desk:flex-col desk:px-2.5">
        {navItems.map((item) => (
          <Link
            key={item.to}
            to={item.to}
            title={item.label}
            activeOptions={{ exact: item.to === '/', includeSearch: false, includeHash: false }}
            className={classes(itemClass, item.more && 'max-desk:hidden', item.late && 'max-desk:order-1')}
            activeProps={{ className: 'font-semibold text-text desk:bg-high desk:hover:bg-high' }}
          >
            <span className="absolute top-1.5 bottom-1.5 -left-2.5 hidden w-[3px] rounded-r-tag bg-gold group-aria-[current=page]:desk:block" />
            <span className="group-aria-[current=page]:text-gold-text">
              <Icon name={item.icon} size={18} />
            </span>
            <span className="max-w-full truncate desk:hidden wide:inline">{item.label}</span>
            <span className="ml-auto hidden text-11 font-normal text-text-3 wide:inline" aria-hidden>
              {item.key}
            </span>
          </Link>
        ))}
        <MoreButton />
      </div>
      <NeedsYou />
      <RailFoot />
    </nav>
  )
}

const itemClass =
  'group relative flex items-center rounded-control text-text-2 transition-colors hover:text-text max-desk:h-14 max-desk:min-w-0 max-desk:flex-1 max-desk:flex-col max-desk:justify-center max-desk:gap-1 max-desk:text-11 desk:h-8 desk:justify-center desk:gap-2.5 desk:hover:bg-raised wide:justify-start wide:px-2'

/** Opens the other pages on a phone, where the bar has room for only a few. */
function MoreButton() {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const isHere = navItems.some(({ to, more }) => more && path.startsWith(to))
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      className={classes(itemClass, 'max-desk:order-2 desk:hidden', isHere && 'font-semibold text-text')}
      onClick={openMore}
    >
      <span className={isHere ? 'text-gold-text' : ''}>
        <Icon name="more" size={18} />
      </span>
      {words.nav.more}
    </button>
  )
}

const footClass =
  'flex h-8 items-center justify-center gap-3 rounded-control text-12 text-text-3 transition-colors hover:bg-raised hover:text-text wide:justify-start wide:px-2'

function RailFoot() {
  const shown = useStore(themeShown)
  const theme = words.theme.switchTo(shown === 'dark' ? 'light' : 'dark')
  return (
    <div className="mt-auto hidden flex-col px-2.5 py-2.5 desk:flex">
      <TodaysMoney />
      <button type="button" className={footClass} title={words.keys.title} onClick={openKeys}>
        <Icon name="keys" size={18} />
        <span className="sr-only wide:not-sr-only">{words.keys.show}</span>
        <span aria-hidden="true" className="ml-auto hidden wide:inline">
          <KeyCap>?</KeyCap>
        </span>
      </button>
      <button type="button" className={footClass} title={theme} onClick={() => chooseTheme(otherTheme())}>
        <Icon name={shown === 'dark' ? 'sun' : 'moon'} size={18} />
        <span className="sr-only wide:not-sr-only">{theme}</span>
      </button>
    </div>
  )
}
