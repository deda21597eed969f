import type { IncomingHttpHeaders } from 'node:http'
import { cookieValue } from '../credentials.ts'

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
