import type { IncomingHttpHeaders } from 'node:http'
import type { Identity } from '@panoptes/schema'
import { type Caller, type CallerLookup, type FindCaller, PROBES } from '../authenticate.ts'
import { bearerToken, type Cookie, type Credential, protocolToken } from '../credentials.ts'
import { clientAddress, isFromHere, rateLimitKey } from './client-address.ts'
import type { Identities } from './identities.ts'
import type { RateLimiter } from './rate-limiter.ts'

interface Parts {
  readonly identities: Identities
  /** Finds callers by the token files of the home. */
  readonly home: FindCaller
  readonly cookie: Cookie
  /** One rate limit per token or person, and one per address without valid credentials. */
  readonly known: RateLimiter
  readonly strangers: RateLimiter
  /** Called when a request is rejected by a rate limit. */
  readonly onLimited?: () => void
}

/**
 * Finds the caller in a team: by a team token, by a sign-in, or on the hub's own computer by a token file of the
 * home.
 */
export function createTeamCallers(parts: Parts): FindCaller {
  const find = createFinder(parts)
  return async (requestHead) => {
    const found = await find(requestHead)
    if ('limited' in found) parts.onLimited?.()
    return found
  }
}

function createFinder({ identities, home, cookie, known: callerBuckets, strangers }: Parts): FindCaller {
  return async (requestHead) => {
    // Load balancers poll these paths all the time and everybody gets the same answer, so no caller is looked up.
    if (PROBES.has(requestHead.path)) return { refused: 'none' }
    const from = rateLimitKey(clientAddress(requestHead))
    const shown = readCredential(requestHead.headers, cookie)
    const found = isFromHere(requestHead) ? await home(requestHead) : undefined
    const own = found && 'checkAccess' in found ? found : undefined
    // A signed-in person acts as themselves, even in a browser that once opened the one-time link of this computer.
    if (own && (own.caller.via !== 'cookie' || shown === undefined)) return own
    if (!shown) return refuseStranger(strangers, from, { refused: 'none' })
    const { secret, via } = shown
    // A client that guesses tokens does not reach the database. A secret that was valid a moment ago is exempt, so
    // its owner does not suffer for others at the same address.
    if (!identities.wasValid(secret) && strangers.peek(from) > 0) return { limited: strangers.peek(from) }
    const lookup = await identities.identify(secret)
    const admitIdentity = (identity: Identity): CallerLookup => {
      const { scope, role, space } = identity
      const caller: Caller = { scope, via, role, space, home: false, identity }
      const wait = callerBuckets.take(identity.token_id ?? identity.user_id ?? from)
      if (wait > 0) return { limited: wait, caller }
      return { caller, checkAccess: () => isStillValid(identities, secret, identity) }
    }
    if (!lookup.ok) {
      const identity = identities.findRecent(secret)
      const last = identity && admitIdentity(identity)
      if (last && 'limited' in last) return last
      return { failed: lookup, ...(last && 'checkAccess' in last ? { last } : {}) }
    }
    if ('refused' in lookup.value)
      return own ?? refuseStranger(strangers, from, { refused: lookup.value.refused })
    return admitIdentity(lookup.value.identity)
  }
}

function refuseStranger(strangers: RateLimiter, from: string, refused: CallerLookup): CallerLookup {
  const wait = strangers.take(from)
  return wait > 0 ? { limited: wait } : refused
}

async function isStillValid(identities: Identities, secret: string, before: Identity): Promise<boolean> {
  const found = await identities.identify(secret)
  // A database outage does not end access.
  if (!found.ok) return true
  return 'identity' in found.value && found.value.identity.space === before.space
}

/** The secret that the request shows. A header takes precedence over a cookie, as everywhere. */
export function readCredential(
  headers: IncomingHttpHeaders,
  cookie: Cookie,
): { readonly secret: string; readonly via: Credential['via'] } | undefined {
  if (headers.authorization !== undefined)
    return { secret: bearerToken(headers.authorization) ?? '', via: 'bearer' }
  const offered = protocolToken(headers['sec-websocket-protocol'])
  if (offered !== undefined) return { secret: offered, via: 'protocol' }
  const cookieSecret = cookie.read(headers)
  return cookieSecret === undefined ? undefined : { secret: cookieSecret, via: 'cookie' }
}
