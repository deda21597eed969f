import type { Route } from './route.ts'

type Scope = Route['scope']

/** The scope that a request needs. */
export type ScopeOf = (method: string, path: string) => Scope

type Place = Pick<Route, 'method' | 'path' | 'scope'>

/** Names that are kept for routes to come, so that their tokens are good for them and for nothing else. */
const KEPT: readonly Place[] = [
  { method: 'POST', path: '/hooks/*', scope: 'ingest' },
  { method: 'POST', path: '/v1/chat/completions', scope: 'gateway' },
  { method: 'POST', path: '/v1/responses', scope: 'gateway' },
  { method: 'GET', path: '/v1/models', scope: 'gateway' },
  { method: 'GET', path: '/v1/models/*', scope: 'gateway' },
]

/** What no route says needs the full token. */
export function createScopes(routes: readonly Place[]): ScopeOf {
  const lesser = [...routes, ...KEPT]
    .filter(({ scope }) => scope !== 'full')
    .map(({ method, path, scope }) => ({ method, scope, pattern: patternOf(path) }))
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'GET' : asked
    return lesser.find((place) => place.method === method && place.pattern.test(path))?.scope ?? 'full'
  }
}

/** `:name` stands for one part of the path, `*` at the end for all that follows. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '*') return '.+'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
