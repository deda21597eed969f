import { isGatewayPath } from './gateway/errors.ts'
import type { Route } from './route.ts'

type Scope = Route['scope']

/** The scope that a request needs. */
export type ScopeOf = (method: string, path: string) => Scope

type Place = Pick<Route, 'method' | 'path' | 'scope'>

/** Names that are kept for routes to come, so that their tokens are good for them and for nothing else. */
const KEPT: readonly Place[] = [{ method: 'POST', path: '/hooks/*', scope: 'ingest' }]

/** What no route says needs the full token, but for what clients of OpenAI ask: they are told that it is not there. */
export function createScopes(routes: readonly Place[]): ScopeOf {
  const lesser = [...routes, ...KEPT]
    .filter(({ scope }) => scope !== 'full')
    .map(({ method, path, scope }) => ({ method, scope, pattern: patternOf(path) }))
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'GET' : asked
    const found = lesser.find((place) => place.method === method && place.pattern.test(path))
    return found?.scope ?? (isGatewayPath(path) ? 'gateway' : 'full')
  }
}

/** `:name` stands for one part of the path, `:name{.+}` and `*` at the end for all that follows. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '*') return '.+'
    if (part.startsWith(':')) return part.endsWith('{.+}') ? '.+' : '[^/]+'
    return part.replace(/[^\w-]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
