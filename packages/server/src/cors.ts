import type { RequestHead } from './authenticate.ts'
import type { Route } from './route.ts'

/** Returns the origin of another program's page that may make this request, if there is one. */
export type Sharing = (requestHead: RequestHead) => string | undefined

/** A few routes may be called by pages of the origins in the config; all others only by Panoptes's own page. */
export function createSharing(origins: readonly string[], routes: readonly Route[]): Sharing {
  const allowedOrigins = new Set(origins)
  const shared = routes.filter(({ shared }) => shared !== undefined)
  return ({ method, path, search, headers: { origin } }) => {
    if (origin === undefined || !allowedOrigins.has(origin)) return undefined
    const query = new URLSearchParams(search)
    const may = shared.some(
      (route) => route.method === method && route.path === path && route.shared?.(query),
    )
    return may ? origin : undefined
  }
}

/** The headers that let a browser hand the answer to that page. */
export const corsHeaders = (origin: string): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
})
