import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { McpServer } from '@panoptes/schema'
import { safeWords } from '../../failed.ts'
import { fieldsOf } from '../../fields.ts'

/** What the server itself said against a call; null where it said nothing. */
export const answeredWith = (error: unknown): string | null =>
  ProtocolError.isInstance(error) ? safeWords(error.message) : null

/** It did not get there. */
export function wasNeverBegun(error: unknown): boolean {
  if (SdkHttpError.isInstance(error)) return error.status === 404
  if (SdkError.isInstance(error)) return error.code === SdkErrorCode.NotConnected
  return reasonIn(error) === 'ECONNREFUSED'
}

const MOST_DEEP = 5
const SHORTEST_SECRET = 8

/** The system's word for what is wrong, however deep it stands. */
function reasonIn(error: unknown): string | null {
  let at = fieldsOf(error)
  for (let depth = 0; depth < MOST_DEEP; depth += 1) {
    if (typeof at.code === 'string' && /^(?:E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(at.code)) return at.code
    at = fieldsOf(at.cause ?? fieldsOf(at.data).cause)
  }
  return null
}

/** What is wrong with a server, and what to do. */
export const wordsOf = (error: unknown, config: McpServer): string =>
  [...Object.values(config.headers), ...Object.values(config.env)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((words, secret) => words.replaceAll(secret, '[redacted]'), reasonOf(error, config))

function reasonOf(error: unknown, { command, url }: McpServer): string {
  const { code } = fieldsOf(error)
  if (code === 'ENOENT')
    return `There is no program ${command}. Install it, or correct its command in config.yaml.`
  if (code === 'EACCES') return `${command} is not allowed to run.`
  if (SdkHttpError.isInstance(error) && (error.status === 401 || error.status === 403))
    return `It refuses us (${error.status}). Write what it wants under headers in config.yaml.`
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.ConnectionClosed)
    return command === undefined ? 'The connection was closed.' : 'The program ended.'
  if (SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout)
    return 'It did not answer in time.'
  const reason = reasonIn(error)
  if (url !== undefined && reason !== null) return `Nobody answers at ${url} (${reason}).`
  const said = safeWords(error instanceof Error ? error.message : 'It failed.')
  return url === undefined ? said : `Nobody speaks MCP at ${url}: ${said}`
}
