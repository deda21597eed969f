import type { Role } from '@panoptes/schema'
import { isGatewayPath } from './gateway/errors.ts'
import type { Route } from './route.ts'

type Scope = Route['scope']
type Place = Pick<Route, 'method' | 'path' | 'scope' | 'role' | 'home' | 'main' | 'action' | 'published'>

/** What a request needs, and what it is called in the audit log. */
export interface Need {
  readonly scope: Scope
  readonly role: Role
  /** Only whoever has a token file of this home. */
  readonly home: boolean
  /** Only in the first space. */
  readonly main: boolean
  /** What comes needs nothing but the bus, where there is one. */
  readonly published: boolean
  /** Null where nothing is changed, or what is changed is not written down. */
  readonly action: string | null
  /** The route, as it is described; null where there is none. */
  readonly route: string | null
}

export type NeedOf = (method: string, path: string) => Need

/** Names that are kept for routes to come, so that their tokens are good for them and for nothing else. */
const KEPT: readonly Place[] = [{ method: 'POST', path: '/hooks/*', scope: 'ingest' }]

/** What no route says needs the full token, but for what clients of OpenAI ask: they are told that it is not there. */
export function createNeeds(routes: readonly Place[]): NeedOf {
  const plain = new Map<string, Need>()
  const patterns: { readonly method: string; readonly pattern: RegExp; readonly need: Need }[] = []
  for (const place of [...routes, ...KEPT]) {
    if (/[:*]/.test(place.path))
      patterns.push({ method: place.method, pattern: patternOf(place.path), need: needOf(place) })
    else plain.set(`${place.method} ${place.path}`, needOf(place))
  }
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'GET' : asked
    return (
      plain.get(`${method} ${path}`) ??
      patterns.find((each) => each.method === method && each.pattern.test(path))?.need ??
      (isGatewayPath(path) ? NO_MODEL : NOTHING)
    )
  }
}

/** Whoever may look may look; whatever else is done needs somebody who works there, unless the route says otherwise. */
export const roleOf = ({
  method,
  role,
  home,
  main,
}: Pick<Route, 'method' | 'role' | 'home' | 'main'>): Role =>
  role ?? (home || main ? 'admin' : method === 'GET' ? 'viewer' : 'member')

const needOf = (place: Place): Need => ({
  scope: place.scope,
  role: roleOf(place),
  home: place.home ?? false,
  main: place.main ?? false,
  published: place.published ?? false,
  action: place.action === undefined ? actionOf(place) : place.action,
  route: `${place.method} ${place.path}`,
})

const NOTHING: Need = {
  scope: 'full',
  role: 'viewer',
  home: false,
  main: false,
  published: false,
  action: null,
  route: null,
}
const NO_MODEL: Need = { ...NOTHING, scope: 'gateway' }

const ENDINGS: Readonly<Record<Route['method'], string>> = {
  GET: '',
  POST: '',
  PUT: '.set',
  DELETE: '.remove',
}

/** `PUT /api/past/filters/:name` is `past.filters.set`. What machines send all the time is not written down. */
function actionOf({ method, path, scope }: Place): string | null {
  if (method === 'GET' || scope !== 'full') return null
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api' && !part.startsWith(':'))
  return parts.join('.') + ENDINGS[method]
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
