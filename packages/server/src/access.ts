import type { Role } from '@panoptes/schema'
import { isGatewayPath } from './gateway/errors.ts'
import type { Route } from './route.ts'

type Scope = Route['scope']
type Place = Pick<Route, 'method' | 'path' | 'scope' | 'role' | 'home' | 'main' | 'action' | 'published'>

/** What a request must show before it is let in, and how the audit log names it. */
export interface Need {
  readonly scope: Scope
  readonly role: Role
  /** Only the token files of this home satisfy it. */
  readonly home: boolean
  /** Only the first space satisfies it. */
  readonly main: boolean
  /** The request publishes to the bus, so where there is a bus it works without the database. */
  readonly published: boolean
  /**
   * The action in the audit log, such as `past.filters.set`. Null for reads and for routes that are not
   * logged.
   */
  readonly action: string | null
  /** The route as it is declared, such as `GET /api/agents/:id`; null where no route matches. */
  readonly route: string | null
}

export type NeedOf = (method: string, path: string) => Need

/**
 * These paths are reserved for later routes, so that an ingest token already works for them and for nothing else.
 */
const RESERVED: readonly Place[] = [{ method: 'POST', path: '/hooks/*', scope: 'ingest' }]

/**
 * A path that no route declares needs the full token. Paths of the gateway are the exception: an OpenAI
 * client with a gateway token gets the answer that the path does not exist.
 */
export function createNeeds(routes: readonly Place[]): NeedOf {
  const plain = new Map<string, Need>()
  const patterns: { readonly method: string; readonly pattern: RegExp; readonly need: Need }[] = []
  for (const place of [...routes, ...RESERVED]) {
    if (/[:*]/.test(place.path))
      patterns.push({ method: place.method, pattern: toPattern(place.path), need: toNeed(place) })
    else plain.set(`${place.method} ${place.path}`, toNeed(place))
  }
  return (requestMethod, path) => {
    const method = requestMethod === 'HEAD' ? 'GET' : requestMethod
    return (
      plain.get(`${method} ${path}`) ??
      patterns.find((each) => each.method === method && each.pattern.test(path))?.need ??
      (isGatewayPath(path) ? NO_MODEL : NOTHING)
    )
  }
}

/**
 * By default a viewer may read, a member may do everything else, and routes about the home or all spaces need an
 * admin.
 */
export const requiredRole = ({
  method,
  role,
  home,
  main,
}: Pick<Route, 'method' | 'role' | 'home' | 'main'>): Role =>
  role ?? (home || main ? 'admin' : method === 'GET' ? 'viewer' : 'member')

const toNeed = (place: Place): Need => ({
  scope: place.scope,
  role: requiredRole(place),
  home: place.home ?? false,
  main: place.main ?? false,
  published: place.published ?? false,
  action: place.action === undefined ? auditAction(place) : place.action,
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

/**
 * Names the action of a route: `PUT /api/past/filters/:name` is `past.filters.set`. Reads and what machines send
 * all the time have no action.
 */
function auditAction({ method, path, scope }: Place): string | null {
  if (method === 'GET' || scope !== 'full') return null
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api' && !part.startsWith(':'))
  return parts.join('.') + ENDINGS[method]
}

/**
 * Compiles a route path: `:name` matches one part of the path, `:name{.+}` and a final `*` match the rest of it.
 */
function toPattern(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '*') return '.+'
    if (part.startsWith(':')) return part.endsWith('{.+}') ? '.+' : '[^/]+'
    return part.replace(/[^\w-]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
