import { join } from 'node:path'
import { findDaemon, type Paths, readRegular } from '@panoptes/engine/home'
import { check, problemDetails } from '@panoptes/schema'
import { CommandFailure, EXIT } from '../failure.ts'

/** A client of the running daemon that uses the full token of the home. */
export interface Client {
  readonly address: string
  readonly pid: number
  readonly version: string
  /** Resolves to a successful reply, and otherwise throws a failure with the message of the daemon. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly json: <T>(path: string, init?: RequestInit) => Promise<T>
}

/** Connects to the daemon of this home. It returns nothing if none answers. */
export async function connect(paths: Paths): Promise<Client | undefined> {
  const daemon = await findDaemon(paths)
  if (daemon.state !== 'running') return undefined
  const { address, pid } = daemon.info
  const token = await readToken(paths)
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    const reply = await fetch(`${address}${path}`, { ...init, headers }).catch((error: unknown) => {
      if (init.signal?.aborted) throw stopped()
      throw unreachable(address, error)
    })
    if (reply.ok) return reply
    throw await refusal(reply)
  }
  const json = async <T>(path: string, init?: RequestInit) => (await request(path, init)).json() as Promise<T>
  return { address, pid, version: daemon.version, request, json }
}

export const stopped = (next?: string): CommandFailure =>
  new CommandFailure('Interrupted', { code: 'stopped', next, exit: EXIT.interrupted })

export const notRunning = (): CommandFailure =>
  new CommandFailure('Panoptes is not running', {
    code: 'not_running',
    next: 'Start it with: panoptes up',
    exit: EXIT.notRunning,
  })

async function readToken(paths: Paths): Promise<string> {
  const file = join(paths.tokens, 'full')
  try {
    return (await readRegular(file)).trim()
  } catch {
    throw new CommandFailure(`The token in ${file} cannot be read`, {
      code: 'no_token',
      next: 'Run this as the user who started Panoptes, or restart it: panoptes up',
    })
  }
}

function unreachable(address: string, error: unknown): CommandFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  return new CommandFailure(`Panoptes at ${address} does not answer: ${cause}`, {
    code: 'unreachable',
    next: 'Find out why with: panoptes doctor',
  })
}

async function refusal(reply: Response): Promise<CommandFailure> {
  const body: unknown = await reply.json().catch(() => undefined)
  const problem = check(problemDetails, body)
  const next =
    reply.status === 401 ? 'Another Panoptes may be using this port. Run: panoptes doctor' : undefined
  if (!problem.ok) {
    return new CommandFailure(`Panoptes answered ${reply.status}`, { code: `http_${reply.status}`, next })
  }
  const { detail, next: advice, title, code } = problem.value
  return new CommandFailure(detail || title, {
    code: typeof code === 'string' ? code : `http_${reply.status}`,
    next: advice ?? next,
  })
}
