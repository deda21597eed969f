import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import { errors } from '@nats-io/transport-node'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

const NOT_ENABLED: readonly number[] = [JetStreamApiCodes.JetStreamNotEnabledForAccount, 10_076]
const TOO_MANY_BYTES = 10_077
const NO_SPACE = [10_023, 10_047]

/** Turns an error of the bus into a failure that tells the reader what to do. */
export function toFailure(error: unknown, where: string): Failure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof JetStreamApiError) {
    if (NOT_ENABLED.includes(error.code)) return notEnabled(where)
    if (error.code === TOO_MANY_BYTES)
      return failure(
        'busy',
        `The bus at ${where} is full because the store cannot keep up or is unavailable. ` +
          'Events it accepted are safe. Check the database, then try again.',
      )
    if (NO_SPACE.includes(error.code))
      return failure('disk_full', `The disk of the bus at ${where} is full: ${message}.`)
  }
  if (error instanceof errors.AuthorizationError || error instanceof errors.PermissionViolationError)
    return failure(
      'invalid',
      `The bus at ${where} refused the connection: ${message}. Check the user and the password in --bus.`,
    )
  if (isNotThere(error))
    return failure(
      'busy',
      `The bus at ${where} has no JetStream now. Try again in a moment. If it persists, start its servers with -js.`,
    )
  return failure('busy', `The bus at ${where} does not answer (${message}). Try again in a moment.`)
}

const notEnabled = (where: string): Failure =>
  failure('invalid', `The NATS server at ${where} has no JetStream. Start it with -js.`)

/** Returns the address without credentials, safe to display. */
export const shownBus = (url: string): string =>
  url
    .split(',')
    .map((each) => URL.parse(each)?.host ?? 'the given address')
    .join(', ')

/**
 * No server accepted the message: JetStream is off, the stream does not exist, or the cluster is electing a
 * leader.
 */
export const isNotThere = (error: unknown): boolean =>
  error instanceof Error && error.name === 'JetStreamNotEnabled'

export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError &&
  (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound)
