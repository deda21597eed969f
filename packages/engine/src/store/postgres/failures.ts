import { Refused } from '@panoptes/engine/worker-rpc'
import { type Failure, parseServers } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

interface PostgresError {
  readonly code?: string
  readonly message?: string
}

const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'])

const UNKNOWN_NAME = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])

/**
 * Turns an error of the server or the network into a failure that tells the reader what to do. The address
 * contains no password.
 */
export function toFailure(error: unknown, where: string): Failure {
  if (error instanceof Refused) return error.failure
  const { code = '', message = String(error) } = (error ?? {}) as PostgresError
  if (code === '53100')
    return failure(
      'disk_full',
      `The disk of the database at ${where} is full. Free some space and try again. Acknowledged events are safe.`,
    )
  if (code === '25006')
    return failure('read_only', `The database at ${where} does not accept writes. Use its primary server.`)
  if (code === '28P01' || code === '28000' || code === '42501' || code === '3D000')
    return failure(
      'denied',
      `The database at ${where} refused the connection: ${message}. Check the user, the password and the database name in its address.`,
    )
  if (/client password must be/i.test(message))
    return failure(
      'denied',
      `The database at ${where} requires a password. Set it in the address (postgres://USER:PASSWORD@…), in PGPASSWORD, or in the file that PGPASSFILE points to.`,
    )
  if (UNKNOWN_NAME.has(code))
    return failure(
      'busy',
      `The host name of the database, ${hostIn(where)}, cannot be resolved (${code}). Check the address and the network.`,
    )
  if (isAway(code, message))
    return failure(
      'busy',
      `The database at ${where} does not answer (${message}). You can retry the failed operation.`,
    )
  return failure(
    isOfValues(code) ? 'io' : 'busy',
    `The database at ${where} could not be used: ${message}. Run "panoptes doctor --team".`,
  )
}

const hostIn = (where: string): string => where.replace(/[:/ ].*$/, '')

/**
 * The server went away, is starting or stopping, has no connection left, or rolled back one side of a
 * conflict.
 */
const isAway = (code: string, message: string): boolean =>
  UNREACHABLE.has(code) ||
  code.startsWith('08') ||
  code.startsWith('57P') ||
  code === '53300' ||
  code === '40001' ||
  code === '40P01' ||
  code === '25P03' ||
  /connection terminated|timeout exceeded|timeout expired|client was closed|connection ended|client has encountered/i.test(
    message,
  )

/**
 * The error concerns the given values, or it is an error of Panoptes, which has no code. Every other error
 * concerns the database and can pass or be repaired.
 */
const isOfValues = (code: string): boolean => code === '' || /^(?:21|22|23|54)/.test(code)

/** Returns whether a retry is the only thing that may help. */
export const isUnreachable = ({ code }: Failure): boolean => code === 'busy'

/** Returns the address without its password, safe to display. */
export function formatAddress(url: string): string {
  const servers = parseServers(url).map((server) => URL.parse(server))
  const pathname = servers[0]?.pathname
  if (pathname === undefined || servers.includes(null)) return 'the given address'
  return `${servers.map((server) => server?.host).join(',')}${pathname}`
}
