import { connect, type DetailedPeerCertificate } from 'node:tls'
import { isLoopback } from '@panoptes/engine/home'
import { type Finding, failed, ok, warning } from '../check.ts'
import { plural } from './size.ts'

const PATIENCE_MS = 5_000
const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Whether people reach a hub under the address they are told, and nobody can listen on the way. `hubs`: where those that run listen. */
export async function publicUrlFinding(address: string | null, hubs: readonly string[]): Promise<Finding> {
  if (address === null) return noneFinding(hubs)
  const url = new URL(address)
  const answered = await ready(url)
  if (answered !== null)
    return failed(
      `${url.origin} does not answer as a hub`,
      answered,
      'Check the proxy: it has to pass on /ready, the WebSocket /stream, and the header Host.',
    )
  if (url.protocol === 'http:')
    return isLoopback(nameIn(address))
      ? ok(`${url.origin}, on this computer only`)
      : failed(
          `${url.origin} is not encrypted`,
          'Tokens and words can be read on the way',
          'Put a proxy with TLS in front (docs/team.md).',
        )
  const certificate = await certificateOf(url)
  if (typeof certificate === 'string')
    return failed(
      `${url.origin}`,
      `Its certificate is not good: ${certificate}`,
      'Renew it; Caddy does that by itself.',
    )
  const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MS)
  const detail = `${url.origin}, certificate of ${String(certificate.issuer?.O ?? certificate.issuer?.CN ?? 'unknown')}, good for ${plural(days, 'day')}`
  if (days > SOON_DAYS) return ok(detail)
  return warning(detail, 'It ends soon, and was not renewed', 'See why the proxy does not renew it.')
}

function noneFinding(hubs: readonly string[]): Finding {
  const open = hubs.filter((hub) => !isLoopback(nameIn(hub)))
  if (open.length === 0) return ok('None is set: people reach the hubs by their own addresses')
  return warning(
    `None is set, and ${open.join(', ')} can be reached from other computers`,
    'Who comes that way sends tokens and words that can be read on the way',
    'Put a proxy with TLS in front, and name its address in team.public_url (docs/team-people.md).',
  )
}

const nameIn = (address: string): string => (URL.parse(address)?.hostname ?? '').replace(/^\[|\]$/g, '')

async function ready(url: URL): Promise<string | null> {
  try {
    const response = await fetch(new URL('/ready', url), { signal: AbortSignal.timeout(PATIENCE_MS) })
    return response.ok ? null : `/ready answers ${response.status}`
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? cause.message : String(cause)
  }
}

const certificateOf = (url: URL): Promise<DetailedPeerCertificate | string> =>
  new Promise((resolve) => {
    const socket = connect(
      { host: url.hostname, port: Number(url.port || 443), servername: url.hostname },
      () => {
        resolve(socket.getPeerCertificate(true))
        socket.end()
      },
    )
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer in time')))
    socket.on('error', (error) => resolve(error.message))
  })
