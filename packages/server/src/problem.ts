import type { Failure, FailureCode, HubPart, Problem } from '@panoptes/schema'

/** Why a request was refused, before it becomes an HTTP response. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly next: string
  readonly headers?: Readonly<Record<string, string>>
  /** The invalid parts of the input. */
  readonly problems?: readonly Problem[]
  /** The parts of the hub that are unavailable. */
  readonly away?: readonly HubPart[]
}

/** The body of a refusal, as RFC 9457 defines it. */
export function problemBody(refusal: Refusal, requestId: string): string {
  const { status, code, title, detail, next, problems, away } = refusal
  return JSON.stringify({
    type: `urn:panoptes:problem:${code}`,
    title,
    status,
    detail,
    next,
    code,
    request_id: requestId,
    ...(problems ? { problems } : {}),
    ...(away ? { away } : {}),
  })
}

export const PROBLEM_TYPE = 'application/problem+json'

export const badInput = (part: 'query' | 'body', problems: readonly Problem[]): Refusal => {
  const first = problems[0]
  const where = first?.path ? `${first.path} ` : ''
  return {
    status: 400,
    code: 'invalid',
    title: 'Bad request',
    detail: `The ${part} is invalid: ${where}${first?.reason ?? 'cannot be read'}.`,
    next: 'Correct it and send the request again. GET /api/openapi.json describes every request.',
    problems,
  }
}

export const notFound = (path: string): Refusal => ({
  status: 404,
  code: 'not_found',
  title: 'Not found',
  detail: `There is nothing at ${path}.`,
  next: 'GET /api/openapi.json lists all paths.',
})

export const notAllowed = (method: string, path: string, allowed: readonly string[]): Refusal => ({
  status: 405,
  code: 'method_not_allowed',
  title: 'Method not allowed',
  detail: `${path} does not support ${method}.`,
  next: `Use ${allowed.join(' or ')}.`,
  headers: { allow: allowed.join(', ') },
})

export const tooLarge = (limit: number): Refusal => ({
  status: 413,
  code: 'too_large',
  title: 'Body too large',
  detail: `The body is over ${limit / 1_048_576} MiB.`,
  next: 'Split the body into several requests.',
  headers: { connection: 'close' },
})

export const tryAgain = (detail: string): Refusal => ({
  status: 503,
  code: 'busy',
  title: 'Busy',
  detail,
  next: 'Send the same request again in a second. Panoptes stores no event twice.',
  headers: { 'retry-after': '1' },
})

/** Anybody may see this: the caller is unknown without the database, so it does not say where the database is. */
export const databaseAway: Refusal = {
  ...tryAgain('The database of this hub does not answer.'),
  code: 'database_away',
  title: 'Database unavailable',
  next: 'Send the same request again in a moment. The hub recovers automatically when its database is back. On the hub, find the cause with "panoptes doctor --team".',
}

export const unexpected: Refusal = {
  status: 500,
  code: 'unexpected',
  title: 'Unexpected error',
  detail: 'Panoptes failed unexpectedly.',
  next: 'Look up the request id in panoptes.log, and run: panoptes doctor',
}

interface Answer {
  readonly status: number
  readonly title: string
  readonly next: string
}

const ANSWERS: Readonly<Record<Exclude<FailureCode, 'busy'>, Answer>> = {
  invalid: { status: 400, title: 'Bad request', next: 'Correct the request and send it again.' },
  not_found: { status: 404, title: 'Not found', next: 'Check the name.' },
  stopped: { status: 499, title: 'Stopped', next: 'Restart it.' },
  closed: { status: 503, title: 'Stopping', next: 'Start Panoptes again: panoptes up' },
  locked: { status: 503, title: 'Locked', next: 'Stop the other process that uses the file.' },
  denied: {
    status: 503,
    title: 'Connection refused',
    next: 'On the hub, find the cause with: panoptes doctor --team. Then send the same request again.',
  },
  disk_full: { status: 507, title: 'Disk full', next: 'Free some space, then send the same request again.' },
  read_only: {
    status: 503,
    title: 'Read-only',
    next: 'Make the home writable, then send the same request again.',
  },
  gone: {
    status: 503,
    title: 'Files gone',
    next: 'Put the Panoptes folder back or restart Panoptes, then send the same request again.',
  },
  corrupt: { status: 500, title: 'Damaged file', next: 'Run: panoptes doctor' },
  newer_version: { status: 500, title: 'Newer version', next: 'Install the newest Panoptes.' },
  io: { status: 500, title: 'Read or write failed', next: 'Run: panoptes doctor' },
}

export function toRefusal(failed: Failure): Refusal {
  if (failed.code === 'busy') return tryAgain(failed.message)
  return { code: failed.code, detail: failed.message, ...ANSWERS[failed.code] }
}

/** The refusal for a caller who is not known, without details of the database. */
export const refusalToAnybody = (failed: Failure): Refusal =>
  failed.code === 'busy' || failed.code === 'denied' ? databaseAway : toRefusal(failed)
