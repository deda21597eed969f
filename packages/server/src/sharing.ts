import type { Asked } from './guard.ts'
import type { Route } from './route.ts'

/** The page of another program that may ask this, by its origin. */
export type Sharing = (asked: Asked) => string | undefined

/** Some questions may be asked by pages of origins that the config names; everything else stays with the own page. */
export function createSharing(origins: readonly string[], routes: readonly Route[]): Sharing {
  const known = new Set(origins)
  const shared = routes.filter(({ shared }) => shared !== undefined)
  return ({ method, path, search, headers: { origin } }) => {
    if (origin === undefined || !known.has(origin)) return undefined
    const query = new URLSearchParams(search)
    const may = shared.some(
      (route) => route.method === method && route.path === path && route.shared?.(query),
    )
    return may ? origin : undefined
  }
}

/** What makes a browser hand the answer to that page. */
export const sharedHeaders = (origin: string): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  vary: 'Origin',
})
