import { connect, type DetailedPeerCertificate } from 'node:tls'
import { type Finding, failed, ok, warning } from '../check.ts'
import { plural } from './size.ts'

const PATIENCE_MS = 5_000
const DAY_MS = 86_400_000
const SOON_DAYS = 14
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Whether people reach a hub under the address they are told, and by whom nobody can listen. */
export async function publicUrlFinding(address: string | null): Promise<Finding> {
  if (address === null) return ok('None is set: people reach the hubs by their own addresses')
  const url = new URL(address)
  const answered = await ready(url)
  if (answered !== null)
    return failed(
      `${url.origin} does not answer as a hub`,
      answered,
      'Check the proxy: it has to pass on /ready, the WebSocket /stream, and the header Host.',
    )
  if (url.protocol === 'http:')
    return LOOPBACK.includes(url.hostname)
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
