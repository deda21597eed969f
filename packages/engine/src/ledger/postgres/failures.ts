import { Refused } from '@panoptes/engine/threads'
import { type Failure, serversOf } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

interface PostgresError {
  readonly code?: string
  readonly message?: string
}

const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH'])

const UNKNOWN_NAME = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])

/** Turns what the server or the network says into a value that names the way out. The address has no password in it. */
export function failureOf(error: unknown, where: string): Failure {
  if (error instanceof Refused) return error.failure
  const { code = '', message = String(error) } = (error ?? {}) as PostgresError
  if (code === '53100')
    return failure(
      'disk_full',
      `The disk of the database at ${where} is full. Free some space and try again; what was acknowledged is kept.`,
    )
  if (code === '25006')
    return failure('read_only', `The database at ${where} takes no writes. Name its primary server.`)
  if (code === '28P01' || code === '28000' || code === '42501' || code === '3D000')
    return failure(
      'denied',
      `The database at ${where} refuses: ${message}. Check the user, the password and the name in its address.`,
    )
  if (/client password must be/i.test(message))
    return failure(
      'denied',
      `The database at ${where} asks for a password, and none was given. Give it in the address (postgres://USER:PASSWORD@…), in PGPASSWORD, or in a file that PGPASSFILE names.`,
    )
  if (UNKNOWN_NAME.has(code))
    return failure(
      'busy',
      `The name in the address of the database, ${hostIn(where)}, is not known here (${code}). Check the address and the network.`,
    )
  if (isAway(code, message))
    return failure(
      'busy',
      `The database at ${where} does not answer (${message}). What failed can be tried again.`,
    )
  return failure(
    isOfValues(code) ? 'io' : 'busy',
    `The database at ${where} could not be used: ${message}. Run "panoptes doctor --team".`,
  )
}

const hostIn = (where: string): string => where.replace(/[:/ ].*$/, '')

/** It went away, is starting or stopping, has no connection left, or undid one of two that met. */
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

/** Of what a statement was given, or an error of our own, which has no code. All else is wrong with the database, and passes or is mended. */
const isOfValues = (code: string): boolean => code === '' || /^(?:21|22|23|54)/.test(code)

/** Whether to try again may help, and nothing else. */
export const isUnreachable = ({ code }: Failure): boolean => code === 'busy'

/** The address as it may be shown. */
export function shownAddress(url: string): string {
  const servers = serversOf(url).map((server) => URL.parse(server))
  const pathname = servers[0]?.pathname
  if (pathname === undefined || servers.includes(null)) return 'the given address'
  return `${servers.map((server) => server?.host).join(',')}${pathname}`
}
