import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import { pause } from '@panoptes/engine/waiting'

const TIMEOUT_MS = 3_000
const AGAIN_MS = 500
/** A link that is cut without a word is noticed after two of these. */
const PING_MS = 4_000

/** A connection that goes on by itself whatever happens to it, once there was one. Undefined where the signal came first. */
export async function connectTo(
  url: string,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<NatsConnection | undefined> {
  while (!signal.aborted) {
    try {
      return await connect(optionsOf(url))
    } catch (error) {
      failed(error)
      await pause(AGAIN_MS, signal)
    }
  }
  return undefined
}

export function optionsOf(url: string): ConnectionOptions {
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
