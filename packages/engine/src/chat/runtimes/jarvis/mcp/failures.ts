import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { McpServer } from '@panoptes/schema'
import { toFields } from '../../fields.ts'
import { toSafeText } from '../../run-failure.ts'

/** Returns the server's own error for a call; null if it sent none. */
export const readServerError = (error: unknown): string | null =>
  ProtocolError.isInstance(error) ? toSafeText(error.message) : null

/** The call never reached the server. */
export function wasNeverSent(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return error.status === 404
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.NotConnected
  return reasonIn(error) === 'ECONNREFUSED'
}

const MOST_DEEP = 5
const SHORTEST_SECRET = 8

/** Finds the system error code, however deeply it is nested. */
function reasonIn(error: unknown): string | null {
  let at = toFields(error)
  for (let depth = 0; depth < MOST_DEEP; depth += 1) {
    if (typeof at.code === 'string' && /^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(at.code)) return at.code
    at = toFields(at.cause ?? toFields(at.data).cause)
  }
  return null
}

/** Explains what is wrong with a server and what to do. */
export const describeFailure = (error: unknown, config: McpServer): string =>
  [...Object.values(config.headers), ...Object.values(config.env)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((words, secret) => words.replaceAll(secret, '[redacted]'), failureReason(error, config))

function failureReason(error: unknown, { command, url }: McpServer): string {
  const { code } = toFields(error)
  if (code === 'ENOENT') return `${command} was not found. Install it, or fix its command in config.yaml.`
  if (code === 'EACCES') return `No permission to run ${command}.`
  if (SdkHttpError.isInstance(error) && (error.status === 401 || error.status === 403))
    return `It refused access (${error.status}). Set the required headers under headers in config.yaml.`
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed)
    return command === undefined ? 'The connection was closed.' : 'The program ended.'
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
    return 'It did not answer in time.'
  const reason = reasonIn(error)
  if (url !== undefined && reason !== null) return `Nothing answers at ${url} (${reason}).`
  const message = toSafeText(error instanceof Error ? error.message : 'It failed.')
  return url === undefined ? message : `The server at ${url} does not speak MCP: ${message}`
}
