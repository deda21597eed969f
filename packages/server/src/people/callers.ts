import type { IncomingHttpHeaders } from 'node:http'
import type { Identity } from '@panoptes/schema'
import type { Caller, FindCaller, Found } from '../callers.ts'
import { bearerOf, protocolToken, type Shown } from '../credentials.ts'
import { clientOf, isFromHere, limitedAs } from './addresses.ts'
import type { Buckets } from './buckets.ts'
import type { Cookie } from './cookies.ts'
import type { Identities } from './identities.ts'

interface Parts {
  readonly identities: Identities
  /** The token files of the home. */
  readonly home: FindCaller
  readonly cookie: Cookie
  /** For each token or person, and for each address that shows nothing good. */
  readonly known: Buckets
  readonly strangers: Buckets
  /** A request was turned away because there were too many. */
  readonly limited?: () => void
}

/** Who calls, in a team: by a token of it, by a sign-in, or, on the hub's own computer, by a token file of its home. */
export function teamCallers(parts: Parts): FindCaller {
  const find = findIn(parts)
  return async (asked) => {
    const found = await find(asked)
    if ('limited' in found) parts.limited?.()
    return found
  }
}

function findIn({ identities, home, cookie, known, strangers }: Parts): FindCaller {
  return async (asked) => {
    if (NOT_COUNTED.has(asked.path)) return { refused: 'none' }
    const from = limitedAs(clientOf(asked))
    const shown = shownIn(asked.headers, cookie)
    const found = isFromHere(asked) ? await home(asked) : undefined
    const own = found && 'standing' in found ? found : undefined
    // A person who is signed in is themselves, also where the browser once opened the link of this computer.
    if (own && (own.caller.via !== 'cookie' || shown === undefined)) return own
    if (!shown) return strange(strangers, from, { refused: 'none' })
    const { secret, via } = shown
    // Whoever guesses is not answered by the database; whoever was known a moment ago does not suffer for it.
    if (!identities.wasGood(secret) && strangers.look(from) > 0) return { limited: strangers.look(from) }
    const told = await identities.of(secret)
    const letIn = (identity: Identity): Found => {
      const { scope, role, space } = identity
      const caller: Caller = { scope, via, role, space, home: false, identity }
      const wait = known.take(identity.token_id ?? identity.user_id ?? from)
      if (wait > 0) return { limited: wait, caller }
      return { caller, standing: () => stillGood(identities, secret, identity) }
    }
    if (!told.ok) {
      const identity = identities.last(secret)
      const last = identity && letIn(identity)
      if (last && 'limited' in last) return last
      return { failed: told, ...(last && 'standing' in last ? { last } : {}) }
    }
    if ('refused' in told.value) return own ?? strange(strangers, from, { refused: told.value.refused })
    return letIn(told.value.identity)
  }
}

/** They are asked all the time, by whoever decides where requests go, and answer everybody alike: nobody is looked up for them. */
const NOT_COUNTED: ReadonlySet<string> = new Set(['/health', '/ready'])

function strange(strangers: Buckets, from: string, refused: Found): Found {
  const wait = strangers.take(from)
  return wait > 0 ? { limited: wait } : refused
}

async function stillGood(identities: Identities, secret: string, before: Identity): Promise<boolean> {
  const found = await identities.of(secret)
  // A database that does not answer takes nothing back.
  if (!found.ok) return true
  return 'identity' in found.value && found.value.identity.space === before.space
}

/** What is shown: a header before a cookie, as everywhere. */
export function shownIn(
  headers: IncomingHttpHeaders,
  cookie: Cookie,
): { readonly secret: string; readonly via: Shown['via'] } | undefined {
  if (headers.authorization !== undefined)
    return { secret: bearerOf(headers.authorization) ?? '', via: 'bearer' }
  const offered = protocolToken(headers['sec-websocket-protocol'])
  if (offered !== undefined) return { secret: offered, via: 'protocol' }
  const kept = cookie.read(headers)
  return kept === undefined ? undefined : { secret: kept, via: 'cookie' }
}
