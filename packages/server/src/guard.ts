import type { IncomingHttpHeaders } from 'node:http'
import type { TokenScope } from '@panoptes/schema'
import type { ScopeOf } from './access.ts'
import type { Caller, Credentials } from './credentials.ts'
import type { AllowedHosts } from './hosts.ts'
import type { Refusal } from './problem.ts'
import type { Sharing } from './sharing.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly search?: string
  readonly headers: IncomingHttpHeaders
}

export type Judgement =
  | { readonly ok: true; readonly caller: Caller | undefined; readonly visitor?: string | undefined }
  | { readonly ok: false; readonly refusal: Refusal; readonly visitor?: string | undefined }

/**
 * Who may come in. The same judge for requests, for the stream and for what does not exist.
 * A visitor is the page of another program: the browser may hand it the answer.
 */
export type Guard = (asked: Asked) => Judgement

export function createGuard(
  hosts: AllowedHosts,
  credentials: Credentials,
  scopeOf: ScopeOf,
  sharing: Sharing,
): Guard {
  return (asked) => {
    const { method, path, headers } = asked
    if (!hosts.allowsHost(headers.host)) return refuse(foreignHost)
    const visitor = sharing(asked)
    if (visitor === undefined && isForeign(hosts, method, headers)) return refuse(foreignOrigin)
    const caller = credentials.identify(headers)
    const needed = scopeOf(method, path)
    // Hermes signs what it sends instead of showing a token: its route looks at the signature.
    if (needed === 'open' || needed === 'signed') return { ok: true, caller }
    if (!caller) return { ...refuse(noToken(headers)), visitor }
    if (caller.scope !== 'full' && caller.scope !== needed) return refuse(wrongScope(caller.scope))
    return { ok: true, caller, visitor }
  }
}

const isForeign = (hosts: AllowedHosts, method: string, headers: IncomingHttpHeaders): boolean =>
  (headers.origin !== undefined && !hosts.allowsOrigin(headers.origin)) || isForeignFetch(method, headers)

/** A cookie is the same for every port of a host, so a page on another port could have images or scripts from here. */
function isForeignFetch(method: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return false
  const navigates = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return !(navigates && method === 'GET')
}

const refuse = (refusal: Refusal): Judgement => ({ ok: false, refusal })

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

const noToken = (headers: IncomingHttpHeaders): Refusal => {
  const sent = headers.authorization !== undefined || headers['sec-websocket-protocol'] !== undefined
  return {
    status: 401,
    code: sent ? 'wrong_token' : 'no_token',
    title: 'Sign in',
    detail: sent ? 'The token of this request is not a token of this home.' : 'This request has no token.',
    next: 'In a browser: run "panoptes up" and open the link it prints. In a program: send "Authorization: Bearer" with a token from the folder tokens of the home.',
    headers: { 'www-authenticate': 'Bearer realm="Panoptes"' },
  }
}

const SCOPE_IS_FOR: Readonly<Record<TokenScope, string>> = {
  full: 'everything',
  ingest: 'hooks and SDKs: sending events and spans, and asking for the template of a session that begins',
  gateway: 'talking to models',
}

const wrongScope = (scope: TokenScope): Refusal => ({
  status: 403,
  code: 'wrong_scope',
  title: 'Not with this token',
  detail: `The ${scope} token is only for ${SCOPE_IS_FOR[scope]}.`,
  next: 'Use the full token, from the file tokens/full of the home.',
})
