import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { readSearch } from './events/search.ts'
import { FailedPage, NotFoundPage } from './shell/failed-page.tsx'
import { Shell } from './shell/shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/events', replace: true })
  },
})

const events = createRoute({
  getParentRoute: () => root,
  path: '/settings/events',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./events/events-page.tsx')),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings-page.tsx')),
})

export const router = createRouter({
  routeTree: root.addChildren([home, events, settings]),
  defaultErrorComponent: FailedPage,
  defaultPreload: 'intent',
})

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
