import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { TOKEN_SCOPES, type Tokens } from '@panoptes/engine/home'
import type { TeamToken, TokenScope } from '@panoptes/schema'

export interface Shown {
  readonly scope: TeamToken['scope']
  readonly via: 'bearer' | 'cookie' | 'protocol'
}

/** Tells by which token file somebody calls: a token in a header, in the WebSocket protocol list, or by the cookie of a signed-in browser. */
export interface Credentials {
  readonly identify: (headers: IncomingHttpHeaders) => Shown | undefined
  readonly cookie: () => string
  readonly clearCookie: () => string
  /** Changes when the full token does, and with it everything that was signed in. */
  readonly generation: () => string
  readonly lastUsed: (scope: TokenScope) => number | null
}

const YEAR_S = 31_536_000

export function createCredentials(tokens: Tokens, port: number): Credentials {
  const cookieName = `panoptes_${port}`
  const used = new Map<TokenScope, number>()
  const sealOf = (token: string) =>
    createHmac('sha256', token).update(`cookie of port ${port}`).digest('base64url')

  const scopeOf = (candidate: string): TokenScope | undefined => {
    // Every token is compared, so that the time says nothing of which one it was.
    const scopes = TOKEN_SCOPES.filter((scope) => isSame(candidate, tokens.read(scope)))
    return scopes[0]
  }

  const find = (headers: IncomingHttpHeaders): (Shown & { readonly scope: TokenScope }) | undefined => {
    const { authorization } = headers
    if (authorization !== undefined) {
      const scope = scopeOf(bearerOf(authorization) ?? '')
      return scope && { scope, via: 'bearer' }
    }
    const offered = protocolToken(headers['sec-websocket-protocol'])
    if (offered !== undefined) {
      const scope = scopeOf(offered)
      return scope && { scope, via: 'protocol' }
    }
    const seal = cookieValue(headers.cookie, cookieName)
    const known = seal !== undefined && isSame(seal, sealOf(tokens.read('full')))
    return known ? { scope: 'full', via: 'cookie' } : undefined
  }

  return {
    identify: (headers) => {
      const caller = find(headers)
      if (caller) used.set(caller.scope, Date.now())
      return caller
    },
    cookie: () =>
      `${cookieName}=${sealOf(tokens.read('full'))}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${YEAR_S}`,
    clearCookie: () => `${cookieName}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`,
    generation: () => tokens.read('full'),
    lastUsed: (scope) => used.get(scope) ?? null,
  }
}

/** Equal lengths and equal time, whatever was sent. */
function isSame(candidate: string, secret: string): boolean {
  const same = timingSafeEqual(hash('sha256', candidate, 'buffer'), hash('sha256', secret, 'buffer'))
  return same && secret !== ''
}

export const bearerOf = (header: string): string | undefined => /^bearer +(\S+)$/i.exec(header)?.[1]

/** `Sec-WebSocket-Protocol: bearer, <token>`: the one header a browser can set on a WebSocket. */
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
