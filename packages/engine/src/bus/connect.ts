import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/abortable'

const TIMEOUT_MS = 3_000
const AGAIN_MS = 500
/** The client notices a silently cut connection after two missed pings of this interval. */
const PING_MS = 4_000

/**
 * Opens a connection that reconnects on its own after any failure. Returns undefined when the signal aborts
 * first.
 */
export async function connectTo(
  url: string,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<NatsConnection | undefined> {
  while (!signal.aborted) {
    try {
      return await connect(connectionOptions(url))
    } catch (error) {
      failed(error)
      await pause(AGAIN_MS, signal)
    }
  }
  return undefined
}

export function connectionOptions(url: string): ConnectionOptions {
  const addresses = url.split(',').map((each) => new URL(each))
  const [first] = addresses
  const user = decodeURIComponent(first?.username ?? '')
  const pass = decodeURIComponent(first?.password ?? '')
  return {
    servers: addresses.map(({ host }) => host),
    name: 'panoptes',
    timeout: TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: AGAIN_MS,
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ...(pass !== '' ? { user, pass } : user !== '' ? { token: user } : {}),
    ...(first?.protocol === 'tls:' ? { tls: {} } : {}),
  }
}
