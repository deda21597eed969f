import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { readSearch as readAchievementsSearch } from './achievements/search-params.ts'
import { readSearch as readChatSearch } from './chat/search-params.ts'
import { readSearch } from './events/search-params.ts'
import { readSearch as readLedgerSearch } from './ledger/search-params.ts'
import { readSearch as readLiveSearch } from './live/search-params.ts'
import { readSearch as readMoaSearch } from './moa/search-params.ts'
import { dropUnknownParams } from './search-params.ts'
import { readSearch as readSessionsSearch } from './sessions/search-params.ts'
import { FailedPage, NotFoundPage } from './shell/error-page.tsx'
import { Shell } from './shell/shell.tsx'
import { readSearch as readTemplatesSearch } from './templates/search-params.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })

const live = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: dropUnknownParams(readLiveSearch),
  component: lazyRouteComponent(() => import('./live/live-page.tsx')),
})

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: dropUnknownParams(readSessionsSearch),
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx')),
})

const achievements = createRoute({
  getParentRoute: () => root,
  path: '/achievements',
  validateSearch: dropUnknownParams(readAchievementsSearch),
  component: lazyRouteComponent(() => import('./achievements/achievements-page.tsx')),
})

const templates = createRoute({
  getParentRoute: () => root,
  path: '/templates',
  validateSearch: dropUnknownParams(readTemplatesSearch),
  component: lazyRouteComponent(() => import('./templates/templates-page.tsx')),
})

const ledger = createRoute({
  getParentRoute: () => root,
  path: '/ledger',
  validateSearch: dropUnknownParams(readLedgerSearch),
  component: lazyRouteComponent(() => import('./ledger/ledger-page.tsx')),
})

const moa = createRoute({
  getParentRoute: () => root,
  path: '/moa',
  validateSearch: dropUnknownParams(readMoaSearch),
  component: lazyRouteComponent(() => import('./moa/moa-page.tsx')),
})

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  validateSearch: dropUnknownParams(readChatSearch),
  component: lazyRouteComponent(() => import('./chat/chat-page.tsx')),
})

const events = createRoute({
  getParentRoute: () => root,
  path: '/settings/events',
  validateSearch: dropUnknownParams(readSearch),
  component: lazyRouteComponent(() => import('./events/events-page.tsx')),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: dropUnknownParams(() => ({})),
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx')),
})

export const router = createRouter({
  routeTree: root.addChildren([live, sessions, achievements, templates, ledger, moa, chat, events, settings]),
  defaultErrorComponent: FailedPage,
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
