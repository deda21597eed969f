import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/** Writes a host as in a URL, with brackets around an IPv6 address. */
const formatHost = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** The URL under which this computer reaches the server. */
export const serverUrl = (host: string, port: number): string =>
  WILDCARDS.has(host) ? `http://127.0.0.1:${port}` : boundUrl(host, port)

/** The URL of the bound address itself, even if that is a wildcard such as `0.0.0.0`. */
export const boundUrl = (host: string, port: number): string => `http://${formatHost(host || '::')}:${port}`

/** The host names that this server answers to. Refusing all others stops DNS rebinding. */
export interface AllowedHosts {
  readonly allowsHost: (host: string | undefined) => boolean
  readonly allowsOrigin: (origin: string) => boolean
}

export function createAllowedHosts(
  bound: string,
  port: number,
  configured: readonly string[],
  publicUrl: string | null = null,
): AllowedHosts {
  const own = ['localhost', '127.0.0.1', '::1', bound, ...(WILDCARDS.has(bound) ? ownAddresses() : [])]
  const hosts = new Set<string>()
  for (const host of own.filter((name) => !WILDCARDS.has(name))) {
    hosts.add(`${formatHost(host)}:${port}`.toLowerCase())
    if (port === 80) hosts.add(formatHost(host).toLowerCase())
  }
  const named = configured.flatMap((entry) => {
    const name = formatHost(entry.trim()).toLowerCase()
    return hasPort(name) ? [name] : [name, `${name}:${port}`]
  })
  for (const name of named) hosts.add(name)
  const origins = new Set([...hosts].map((host) => `http://${host}`))
  // A configured name may belong to a proxy that terminates TLS.
  for (const name of named) origins.add(`https://${name}`)
  // The public URL belongs to a proxy, and only its own origin is a page of this server.
  const open = publicUrl === null ? null : URL.parse(publicUrl)
  if (open) {
    hosts.add(open.host)
    origins.add(open.origin)
  }
  return {
    allowsHost: (host) => host !== undefined && hosts.has(host.toLowerCase()),
    allowsOrigin: (origin) => origins.has(origin.toLowerCase()),
  }
}

const hasPort = (name: string): boolean => /:\d+$/.test(name) && !name.endsWith(']')

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address))
