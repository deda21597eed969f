import type { IncomingHttpHeaders } from 'node:http'
import { FIRST_SPACE, hasRole, type TeamToken } from '@panoptes/schema'
import type { Need } from './access.ts'
import type { SpaceServer } from './app-context.ts'
import {
  type AccessCheck,
  type Caller,
  type CallerLookup,
  type FindCaller,
  PROBES,
  type RequestHead,
} from './authenticate.ts'
import type { AllowedHosts } from './hosts.ts'
import { databaseAway, type Refusal, tryAgain } from './problem.ts'

export type Authorization = {
  readonly visitor?: string | undefined
  readonly caller: Caller | undefined
  /** What the request needs; absent if it was refused before that was looked up. */
  readonly need?: Need
} & (
  | { readonly ok: true; readonly spaceServer: SpaceServer; readonly checkAccess: AccessCheck }
  | { readonly ok: false; readonly refusal: Refusal }
)

/**
 * Decides who may come in and to which space, alike for requests, the stream and unknown paths. A `visitor` is the
 * origin of another program's page that may read the answer.
 */
export type Authorize = (requestHead: RequestHead) => Promise<Authorization>

/** The spaces that are open. A request without credentials goes to the space of the home. */
export interface OpenSpaces {
  readonly home: () => SpaceServer | undefined
  readonly of: (space: string) => SpaceServer | undefined
}

export interface AuthorizeOptions {
  readonly hosts: AllowedHosts
  readonly find: FindCaller
  readonly openSpaces: OpenSpaces
  /** Whether there is a team, which changes the text of refusals. */
  readonly team: boolean
  /** Waits for the home's space during the start, up to a limit. */
  readonly waitForStart: () => Promise<void>
}

export function createAuthorize({
  hosts,
  find,
  openSpaces,
  team,
  waitForStart,
}: AuthorizeOptions): Authorize {
  return async (requestHead) => {
    const { method, path, headers } = requestHead
    if (!hosts.allowsHost(headers.host)) return refuse(foreignHost)
    if (!PROBES.has(path)) await waitForStart()
    const visitor = openSpaces.home()?.sharing(requestHead)
    if (visitor === undefined && isForeign(hosts, method, headers)) return refuse(foreignOrigin)
    const found = findLastKnownCaller(await find(requestHead), requestHead, openSpaces)
    const caller = 'caller' in found ? found.caller : undefined
    if ('failed' in found) return refuse(databaseAway)
    if ('limited' in found) return refuse(tooManyRequests(found.limited), caller)
    const spaceServer = caller ? openSpaces.of(caller.space) : openSpaces.home()
    if (!spaceServer) return refuse(openSpaces.home() ? notReady : starting, caller)
    const need = spaceServer.needOf(method, path)
    const refused = findRefusal(need, found, requestHead, team)
    if (refused) return { ...refuse(refused, caller), need, ...(caller ? {} : { visitor }) }
    return {
      ok: true,
      caller,
      need,
      spaceServer,
      visitor,
      checkAccess: 'checkAccess' in found ? found.checkAccess : () => true,
    }
  }
}

/**
 * While the database is down, a request that only publishes to the bus is accepted from a caller who was known when
 * the database last answered.
 */
function findLastKnownCaller(
  found: CallerLookup,
  { method, path }: RequestHead,
  openSpaces: OpenSpaces,
): CallerLookup {
  if (!('failed' in found) || found.last === undefined) return found
  const spaceServer = openSpaces.of(found.last.caller.space)
  return spaceServer?.bus && spaceServer.needOf(method, path).published ? found.last : found
}

function findRefusal(
  need: Need,
  found: CallerLookup,
  { headers, search }: RequestHead,
  team: boolean,
): Refusal | undefined {
  // Hermes signs its requests instead of sending a token; its route checks the signature.
  if (need.scope === 'open' || need.scope === 'signed') return undefined
  if (!('caller' in found) || found.caller === undefined)
    return team ? notOfTheTeam : missingToken('refused' in found && found.refused === 'none')
  const { caller } = found
  const named = headers[NAMED_SPACE] ?? new URLSearchParams(search).get(NAMED_SPACE)
  if (named !== null && named !== caller.space) return team ? notOfTheTeam : missingToken(false)
  if (caller.scope !== 'full' && caller.scope !== need.scope) return wrongScope(caller.scope, caller.home)
  if (need.home && !caller.home) return notThisComputer
  if (need.main && !caller.home && caller.space !== FIRST_SPACE) return notFirstSpace
  return hasRole(caller.role, need.role) ? undefined : wrongRole(caller, need.role)
}

/**
 * A request may name its space, so that a token of another space, or a browser that was switched to another one, is
 * refused instead of acting there. It is a header, or a query parameter of the same name where a browser cannot set
 * headers (streams, links).
 */
export const NAMED_SPACE = 'panoptes-space'

const isForeign = (hosts: AllowedHosts, method: string, headers: IncomingHttpHeaders): boolean =>
  (headers.origin !== undefined && !hosts.allowsOrigin(headers.origin)) || isForeignFetch(method, headers)

/**
 * Cookies are shared by all ports of a host, so without this check a page on another port could load images or
 * scripts from here.
 */
function isForeignFetch(method: string, headers: IncomingHttpHeaders): boolean {
  const fetchSite = headers['sec-fetch-site']
  if (fetchSite !== 'cross-site' && fetchSite !== 'same-site') return false
  const navigates = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !(navigates && method === 'GET')
}

const refuse = (refusal: Refusal, caller?: Caller | undefined): Authorization => ({
  ok: false,
  refusal,
  caller,
})

const foreignHost: Refusal = {
  status: 421,
  code: 'foreign_host',
  title: 'Foreign host',
  detail: 'The Host header of this request is not a name of this server.',
  next: 'Use the address that "panoptes up" prints, or add the name to server.allowed_hosts in config.yaml.',
}

const foreignOrigin: Refusal = {
  status: 403,
  code: 'foreign_origin',
  title: 'Foreign origin',
  detail: 'This request came from a page of another site.',
  next: 'Use the page of Panoptes, or send the request from a program with a token.',
}

const challenge = { 'www-authenticate': 'Bearer realm="Panoptes"' }

const missingToken = (none: boolean): Refusal => ({
  status: 401,
  code: none ? 'no_token' : 'wrong_token',
  title: 'Sign in',
  detail: none ? 'This request has no token.' : 'The token of this request does not belong to this home.',
  next: 'In a browser: run "panoptes up" and open the link it prints. In a program: send "Authorization: Bearer" with a token from the tokens folder of the home.',
  headers: challenge,
})

/**
 * Every refusal of credentials has the same text, so that it does not reveal which of them were once valid.
 */
const notOfTheTeam: Refusal = {
  status: 401,
  code: 'no_token',
  title: 'Sign in',
  detail: 'This request has no token that is valid here.',
  next: 'In a browser: open the page and sign in. In a program: send "Authorization: Bearer" with a token of the space. An admin can create one with "panoptes team tokens create".',
  headers: challenge,
}

const SCOPE_IS_FOR: Readonly<Record<TeamToken['scope'], string>> = {
  full: 'everything',
  ingest: 'hooks and SDKs: it sends events and spans, and gets templates for new sessions',
  gateway: 'using models',
  metrics: 'reading /metrics',
}

const wrongScope = (scope: TeamToken['scope'], home: boolean): Refusal => ({
  status: 403,
  code: 'wrong_scope',
  title: 'Token not allowed',
  detail: `The ${scope} token is only for ${SCOPE_IS_FOR[scope]}.`,
  next: home
    ? 'Use the full token from the file tokens/full of the home.'
    : 'Use a token with the scope full.',
})

const wrongRole = ({ role, space }: Caller, needed: string): Refusal => ({
  status: 403,
  code: 'wrong_role',
  title: 'Role not sufficient',
  detail: `This needs the role ${needed} in the space ${space}. Your role there is ${role}.`,
  next: `Ask an admin of the space ${space} for the role ${needed}.`,
})

export const notThisComputer: Refusal = {
  status: 403,
  code: 'wrong_role',
  title: 'Only from the hub’s computer',
  detail:
    'This affects the computer that the hub runs on, so it needs a token from the home on that computer.',
  next: 'Run the command on the hub’s computer.',
}

const notFirstSpace: Refusal = {
  status: 403,
  code: 'wrong_role',
  title: 'Wrong space',
  detail: `This affects all spaces, so only an admin of the space ${FIRST_SPACE} can do it.`,
  next: `Ask an admin of the space ${FIRST_SPACE}.`,
}

const tooManyRequests = (seconds: number): Refusal => ({
  status: 429,
  code: 'too_many',
  title: 'Too many requests',
  detail: 'The hub received too many requests at once.',
  next: `Send the request again in ${seconds} s. The limit is team.rate_per_second in config.yaml of the hub.`,
  headers: { 'retry-after': String(seconds) },
})

const starting: Refusal = {
  ...tryAgain('Panoptes is starting.'),
  code: 'not_ready',
  title: 'Starting',
  headers: { 'retry-after': '2' },
}

const notReady: Refusal = {
  ...tryAgain('The hub is still opening the space of this request.'),
  code: 'not_ready',
  headers: { 'retry-after': '2' },
}
