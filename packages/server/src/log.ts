import type { Logger } from 'pino'
import type { Caller } from './callers.ts'

interface Answered {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly started: number
  readonly caller: Caller | undefined
}

/** One line an answer. Never the query, a header or a body: tokens and links travel there. */
export function logRequest(log: Logger, answered: Answered): void {
  const { requestId, method, path, status, started, caller } = answered
  const level =
    status >= 500 ? 'error' : status === 401 || status === 403 || status === 421 ? 'warn' : 'debug'
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      request_id: requestId,
      method,
      path: path.slice(0, 200),
      status,
      ms: Math.round((performance.now() - started) * 10) / 10,
      scope: caller?.scope,
    },
    'request',
  )
}
