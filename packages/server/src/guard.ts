import type { IncomingHttpHeaders } from 'node:http'
import { FIRST_SPACE, mayAs, type TeamToken } from '@panoptes/schema'
import type { Need } from './access.ts'
import type { Caller, FindCaller, Found, Standing } from './callers.ts'
import type { AllowedHosts } from './hosts.ts'
import type { Proxies } from './people/addresses.ts'
import { databaseAway, type Refusal, tryAgain } from './problem.ts'
import type { Site } from './site.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly search?: string
  readonly headers: IncomingHttpHeaders
  /** The address at the other end of the connection. */
  readonly peer?: string | undefined
  /** The address at this end. */
  readonly local?: string | undefined
  /** Those who may say that it is from elsewhere. */
  readonly proxies?: Proxies | undefined
}

export type Judgement = {
  readonly visitor?: string | undefined
  readonly caller: Caller | undefined
  /** What was asked for needs; absent where it was refused before that was looked at. */
  readonly need?: Need
} & (
  | { readonly ok: true; readonly site: Site; readonly standing: Standing }
  | { readonly ok: false; readonly refusal: Refusal }
)

/**
 * Who may come in, and where to. The same judge for requests, for the stream and for what does not exist.
 * A visitor is the page of another program: the browser may hand it the answer.
 */
export type Guard = (asked: Asked) => Promise<Judgement>

/** The sites that are open; whoever shows nothing is at that of the home. */
export interface Sites {
  readonly home: () => Site | undefined
  readonly of: (space: string) => Site | undefined
}

export interface Judges {
  readonly hosts: AllowedHosts
  readonly find: FindCaller
  readonly sites: Sites
  /** There are people: what is said to whoever is refused differs. */
  readonly team: boolean
}

export function createGuard({ hosts, find, sites, team }: Judges): Guard {
  return async (asked) => {
    const { method, path, headers } = asked
    if (!hosts.allowsHost(headers.host)) return refuse(foreignHost)
    const visitor = sites.home()?.sharing(asked)
    if (visitor === undefined && isForeign(hosts, method, headers)) return refuse(foreignOrigin)
    const found = whileAway(await find(asked), asked, sites)
    const caller = 'caller' in found ? found.caller : undefined
    if ('failed' in found) return refuse(databaseAway)
    if ('limited' in found) return refuse(tooMany(found.limited), caller)
    const site = caller ? sites.of(caller.space) : sites.home()
    if (!site) return refuse(notReady, caller)
    const need = site.needOf(method, path)
    const refused = refusalFor(need, found, asked, team)
    if (refused) return { ...refuse(refused, caller), need, ...(caller ? {} : { visitor }) }
    return {
      ok: true,
      caller,
      need,
      site,
      visitor,
      standing: 'standing' in found ? found.standing : () => true,
    }
  }
}

/** What goes to the bus is taken without the database: from whoever was known when it was last there. */
function whileAway(found: Found, { method, path }: Asked, sites: Sites): Found {
  if (!('failed' in found) || found.last === undefined) return found
  const site = sites.of(found.last.caller.space)
  return site?.bus && site.needOf(method, path).published ? found.last : found
}

function refusalFor(
  need: Need,
  found: Found,
  { headers, search }: Asked,
  team: boolean,
): Refusal | undefined {
  // Hermes signs what it sends instead of showing a token: its route looks at the signature.
  if (need.scope === 'open' || need.scope === 'signed') return undefined
  if (!('caller' in found) || found.caller === undefined)
    return team ? notOfTheTeam : noToken('refused' in found && found.refused === 'none')
  const { caller } = found
  const named = headers[NAMED_SPACE] ?? new URLSearchParams(search).get(NAMED_SPACE)
  if (named !== null && named !== caller.space) return team ? notOfTheTeam : noToken(false)
  if (caller.scope !== 'full' && caller.scope !== need.scope) return wrongScope(caller.scope, caller.home)
  if (need.home && !caller.home) return notThisComputer
  if (need.main && !caller.home && caller.space !== FIRST_SPACE) return notTheFirst
  return mayAs(caller.role, need.role) ? undefined : tooLittle(caller, need.role)
}

/**
 * A request may say which space it is for, so that a token of another one, or a browser that was taken elsewhere, never leads it astray:
 * by a header, or where a browser can send none (a stream, a link) by a parameter of this name.
 */
export const NAMED_SPACE = 'panoptes-space'

const isForeign = (hosts: AllowedHosts, method: string, headers: IncomingHttpHeaders): boolean =>
  (headers.origin !== undefined && !hosts.allowsOrigin(headers.origin)) || isForeignFetch(method, headers)

/** A cookie is the same for every port of a host, so a page on another port could have images or scripts from here. */
function isForeignFetch(method: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  const navigates = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !(navigates && method === 'GET')
}

const refuse = (refusal: Refusal, caller?: Caller | undefined): Judgement => ({ ok: false, refusal, caller })

const foreignHost: Refusal = {
  status: 421,
  code: 'foreign_host',
  title: 'Foreign host',
  detail: 'The Host of this request is not one of this server.',
  next: 'Use the address that "panoptes up" prints, or add the name to server.allowed_hosts in config.yaml.',
}

const foreignOrigin: Refusal = {
  status: 403,
  code: 'foreign_origin',
  title: 'Foreign origin',
  detail: 'A page of another site asked for this.',
  next: 'Open the page of Panoptes itself, or send the request from a program with a token.',
}

const challenge = { 'www-authenticate': 'Bearer realm="Panoptes"' }

const noToken = (none: boolean): Refusal => ({
  status: 401,
  code: none ? 'no_token' : 'wrong_token',
  title: 'Sign in',
  detail: none ? 'This request has no token.' : 'The token of this request is not a token of this home.',
  next: 'In a browser: run "panoptes up" and open the link it prints. In a program: send "Authorization: Bearer" with a token from the folder tokens of the home.',
  headers: challenge,
})

/** The same whatever is wrong with what was shown, so that nobody learns what was once good. */
const notOfTheTeam: Refusal = {
  status: 401,
  code: 'no_token',
  title: 'Sign in',
  detail: 'This request has no token that is good here.',
  next: 'In a browser: open the page and sign in. In a program: send "Authorization: Bearer" with a token of the space, which an admin makes with "panoptes team tokens create".',
  headers: challenge,
}

const SCOPE_IS_FOR: Readonly<Record<TeamToken['scope'], string>> = {
  full: 'everything',
  ingest: 'hooks and SDKs: sending events and spans, and asking for the template of a session that begins',
  gateway: 'talking to models',
  metrics: 'reading the figures at /metrics',
}

const wrongScope = (scope: TeamToken['scope'], home: boolean): Refusal => ({
  status: 403,
  code: 'wrong_scope',
  title: 'Not with this token',
  detail: `The ${scope} token is only for ${SCOPE_IS_FOR[scope]}.`,
  next: home
    ? 'Use the full token, from the file tokens/full of the home.'
    : 'Use a token whose scope is full.',
})

const tooLittle = ({ role, space }: Caller, needed: string): Refusal => ({
  status: 403,
  code: 'wrong_role',
  title: 'Not with this role',
  detail: `This needs the role ${needed} in the space ${space}; you are ${role} there.`,
  next: `Ask an admin of the space ${space} for the role ${needed}.`,
})

export const notThisComputer: Refusal = {
  status: 403,
  code: 'wrong_role',
  title: 'Not from here',
  detail:
    'This is about the computer that the hub runs on: only the token files of its home are good for it.',
  next: 'Run the command on that computer.',
}

const notTheFirst: Refusal = {
  status: 403,
  code: 'wrong_role',
  title: 'Not from this space',
  detail: `This is about all spaces: only an admin of the space ${FIRST_SPACE} may.`,
  next: `Ask an admin of the space ${FIRST_SPACE}.`,
}

const tooMany = (seconds: number): Refusal => ({
  status: 429,
  code: 'too_many',
  title: 'Too many requests',
  detail: 'More requests came than are taken at once.',
  next: `Send it again in ${seconds} s. The limit is team.rate_per_second in config.yaml of the hub.`,
  headers: { 'retry-after': String(seconds) },
})

const notReady: Refusal = {
  ...tryAgain('The space of this request is still being opened here.'),
  code: 'not_ready',
  headers: { 'retry-after': '2' },
}
