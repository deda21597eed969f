import { toFields, toText } from '../fields.ts'
import { classifyText, createFailure, type RunFailure } from '../run-failure.ts'
import type { Advice, AgentProcess } from './agent-process.ts'
import { MalformedOutput } from './message-stream.ts'

const SIGN_IN = -32_000
const NOT_THERE =
  /not found|no such file|E404|could not determine executable|ERR_MODULE_NOT_FOUND|Cannot find module/i
/** How long after its output the end of a process may be reported. */
const EXIT_WAIT_MS = 100

interface FailureContext {
  readonly title: string
  readonly advice?: Advice | undefined
  readonly process: AgentProcess
  /** True until the agent has introduced itself. */
  readonly isStarting: boolean
  /** True if the agent is still connected, so it refused instead of dying. */
  readonly isOpen: boolean
}

/** Explains why a request to an agent failed. */
export async function toFailure(error: unknown, from: FailureContext): Promise<RunFailure> {
  const { title, advice, isOpen } = from
  if (error instanceof MalformedOutput)
    return createFailure('malformed', `${title} sent an answer that is not valid ACP: ${error.message}.`)
  if (!isOpen) return explainDeath(from)
  return toReportedFailure(error, { title, advice })
}

/** Translates an error the agent reported. */
export function toReportedFailure(
  error: unknown,
  { title, advice }: Pick<FailureContext, 'title' | 'advice'>,
): RunFailure {
  const { code, message, data } = toFields(error)
  const words = [toText(message) || String(error), errorDetails(data)].filter(Boolean).join(': ')
  if (code === SIGN_IN)
    return createFailure(
      'unauthorized',
      `${title} requires you to sign in first (${words}). In a terminal, ${formatSignIn(advice)}, then try again.`,
    )
  return createFailure(classifyText(words), `${title} reported an error: ${words}`)
}

const formatSignIn = (advice: Advice | undefined): string =>
  advice?.signIn === undefined ? 'start it and sign in' : `run \`${advice.signIn}\``

/** Explains the death of a process, if possible from what it wrote to standard error. */
async function explainDeath({ title, advice, process, isStarting }: FailureContext): Promise<RunFailure> {
  const how = await Promise.race([
    process.gone,
    new Promise<string>((done) => setTimeout(done, EXIT_WAIT_MS, 'it gave no details')),
  ])
  const complaints = process.stderrTail().trim()
  const last = lastErrorLine(complaints)
  const why = last === '' ? '' : ` ${last}`
  if (!isStarting || !(how.endsWith(' 127') || NOT_THERE.test(complaints)))
    return createFailure('died', `${title} stopped: ${how}.${why}`)
  const install = advice?.install === undefined ? '' : ` Run \`${advice.install}\`.`
  return createFailure('not_installed', `${title} is not installed: ${how}.${install}${why}`)
}

function errorDetails(data: unknown): string {
  if (typeof data === 'string') return data
  const { details, message, reason } = toFields(data)
  return toText(details) || toText(message) || toText(reason)
}

const LONGEST = 300
const MOST_LINES = 3
/** Stack traces of JavaScript or Python. */
const STACK =
  /^\s*(?:at .+|File ".+", line \d+.*|\^+|Node\.js v\S+|node:\S+:\d+|Traceback .*|[{}\]]+,?|throw .*)$/

/**
 * Returns the last lines a program wrote before it ended, without stack traces and without cutting
 * a word.
 */
export function lastErrorLine(written: string): string {
  const lines = written
    .split('\n')
    .filter((line) => line.trim() !== '' && !STACK.test(line))
    .map((line) => line.trim())
  const lastLines: string[] = []
  for (const line of lines.slice(-MOST_LINES).toReversed()) {
    const room = LONGEST - lastLines.join('\n').length
    if (line.length <= room) lastLines.unshift(line)
    else {
      if (lastLines.length === 0) lastLines.unshift(line.slice(-room).replace(/^\S*\s+/, '… '))
      break
    }
  }
  return lastLines.join('\n')
}
