import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

/** A host as it stands in a URL. */
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** Where this computer reaches it. */
export const addressOf = (host: string, port: number): string =>
  WILDCARDS.has(host) ? `http://127.0.0.1:${port}` : listensAt(host, port)

/** Also where that is every address of this computer. */
export const listensAt = (host: string, port: number): string => `http://${inUrl(host || '::')}:${port}`

/** Under which names this server may be spoken to: a page that points another name here is refused. */
export interface AllowedHosts {
  readonly allowsHost: (host: string | undefined) => boolean
  readonly allowsOrigin: (origin: string) => boolean
}

export function allowedHosts(
  bound: string,
  port: number,
  configured: readonly string[],
  publicUrl: string | null = null,
): AllowedHosts {
  const own = ['localhost', '127.0.0.1', '::1', bound, ...(WILDCARDS.has(bound) ? ownAddresses() : [])]
  const hosts = new Set<string>()
  for (const host of own.filter((name) => !WILDCARDS.has(name))) {
    hosts.add(`${inUrl(host)}:${port}`.toLowerCase())
    if (port === 80) hosts.add(inUrl(host).toLowerCase())
  }
  const named = configured.flatMap((entry) => {
    const name = inUrl(entry.trim()).toLowerCase()
    return hasPort(name) ? [name] : [name, `${name}:${port}`]
  })
  for (const name of named) hosts.add(name)
  const origins = new Set([...hosts].map((host) => `http://${host}`))
  // A name of one's own may stand behind a proxy that speaks TLS.
  for (const name of named) origins.add(`https://${name}`)
  // What people type is a proxy's, and of all its origins only that one is a page of this server.
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
