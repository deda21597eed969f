import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { BROWSER_DAYS, type Browsers, TOKEN_SCOPES, type Tokens } from '@panoptes/engine/home'
import type { TeamToken, TokenScope } from '@panoptes/schema'

export interface Credential {
  readonly scope: TeamToken['scope']
  readonly via: 'bearer' | 'cookie' | 'protocol'
  /** The id of the signed-in browser. */
  readonly browser?: string
}

/**
 * Finds the token file behind a request: by a token in a header, in the list of WebSocket protocols, or by the
 * cookie of a signed-in browser.
 */
export interface Credentials {
  readonly identify: (headers: IncomingHttpHeaders) => Credential | undefined
  /** Signs in a browser under this name and returns its cookie. */
  readonly signIn: (browser: string) => string
  /** Signs out the browser that sent these headers. */
  readonly signOut: (headers: IncomingHttpHeaders) => void
  readonly clearCookie: () => string
  readonly lastUsed: (scope: TokenScope) => number | null
}

const STAYS_S = BROWSER_DAYS * 86_400

export function createCredentials(tokens: Tokens, browsers: Browsers, port: number): Credentials {
  const cookieName = `panoptes_${port}`
  const used = new Map<TokenScope, number>()
  const findBrowser = (headers: IncomingHttpHeaders): string | undefined => {
    const secret = cookieValue(headers.cookie, cookieName)
    return secret === undefined ? undefined : browsers.identify(secret)
  }

  const findScope = (candidate: string): TokenScope | undefined => {
    // Every token is compared, so that the time taken does not reveal which one matched.
    const scopes = TOKEN_SCOPES.filter((scope) => isSame(candidate, tokens.read(scope)))
    return scopes[0]
  }

  const find = (headers: IncomingHttpHeaders): (Credential & { readonly scope: TokenScope }) | undefined => {
    const { authorization } = headers
    if (authorization !== undefined) {
      const scope = findScope(bearerToken(authorization) ?? '')
      return scope && { scope, via: 'bearer' }
    }
    const offered = protocolToken(headers['sec-websocket-protocol'])
    if (offered !== undefined) {
      const scope = findScope(offered)
      return scope && { scope, via: 'protocol' }
    }
    const browser = findBrowser(headers)
    return browser === undefined ? undefined : { scope: 'full', via: 'cookie', browser }
  }

  return {
    identify: (headers) => {
      const caller = find(headers)
      if (caller) used.set(caller.scope, Date.now())
      return caller
    },
    signIn: (browser) =>
      `${cookieName}=${browsers.add(browser).secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${STAYS_S}`,
    signOut: (headers) => {
      const browser = findBrowser(headers)
      if (browser !== undefined) browsers.revoke(browser)
    },
    clearCookie: () => `${cookieName}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`,
    lastUsed: (scope) => used.get(scope) ?? null,
  }
}

/** Compares hashes, which have equal length, so the time does not depend on what was sent. */
function isSame(candidate: string, secret: string): boolean {
  const same = timingSafeEqual(hash('sha256', candidate, 'buffer'), hash('sha256', secret, 'buffer'))
  return same && secret !== ''
}

export const bearerToken = (header: string): string | undefined => /^bearer +(\S+)$/i.exec(header)?.[1]

/** Reads `Sec-WebSocket-Protocol: bearer, <token>`, the only header that a browser can set on a WebSocket. */
export function protocolToken(header: string | undefined): string | undefined {
  const parts = header?.split(',').map((part) => part.trim()) ?? []
  return parts[0] === 'bearer' ? (parts[1] ?? '') : undefined
}

export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}

/** A cookie of this server. Behind TLS it gets a `__Host-` name, which no other host can set. */
export interface Cookie {
  readonly read: (headers: IncomingHttpHeaders) => string | undefined
  readonly set: (value: string, seconds: number) => string
  readonly clear: () => string
}

export function createCookie(name: string, sameSite: 'Strict' | 'Lax', publicUrl: string | null): Cookie {
  const secure = publicUrl?.startsWith('https:') ?? false
  const full = secure ? `__Host-${name}` : name
  const line = (value: string, seconds: number) =>
    `${full}=${value}; HttpOnly; SameSite=${sameSite}; Path=/; Max-Age=${seconds}${secure ? '; Secure' : ''}`
  return {
    read: (headers) => cookieValue(headers.cookie, full) || undefined,
    set: line,
    clear: () => line('', 0),
  }
}
