import { toFields, toText } from '../fields.ts'
import { codeInWords, type Failed, failedWith } from '../run-failure.ts'
import type { Advice, AgentProcess } from './agent-process.ts'
import { MalformedOutput } from './message-stream.ts'

const SIGN_IN = -32_000
const NOT_THERE =
  /not found|no such file|E404|could not determine executable|ERR_MODULE_NOT_FOUND|Cannot find module/i
/** How long after its output the end of a process may be reported. */
const PATIENCE_MS = 100

interface From {
  readonly title: string
  readonly advice?: Advice | undefined
  readonly process: AgentProcess
  /** True until the agent has introduced itself. */
  readonly isStarting: boolean
  /** True if the agent is still connected, so it refused instead of dying. */
  readonly isOpen: boolean
}

/** Explains why a request to an agent failed. */
export async function toFailure(error: unknown, from: From): Promise<Failed> {
  const { title, advice, isOpen } = from
  if (error instanceof MalformedOutput)
    return failedWith('malformed', `${title} sent an answer that is not valid ACP: ${error.message}.`)
  if (!isOpen) return explainDeath(from)
  return reportedFailure(error, { title, advice })
}

/** Translates an error the agent reported. */
export function reportedFailure(error: unknown, { title, advice }: Pick<From, 'title' | 'advice'>): Failed {
  const { code, message, data } = toFields(error)
  const words = [toText(message) || String(error), errorDetails(data)].filter(Boolean).join(': ')
  if (code === SIGN_IN)
    return failedWith(
      'unauthorized',
      `${title} requires you to sign in first (${words}). In a terminal, ${signIn(advice)}, then try again.`,
    )
  return failedWith(codeInWords(words), `${title} reported an error: ${words}`)
}

const signIn = (advice: Advice | undefined): string =>
  advice?.signIn === undefined ? 'start it and sign in' : `run \`${advice.signIn}\``

/** Explains the death of a process, if possible from what it wrote to standard error. */
async function explainDeath({ title, advice, process, isStarting }: From): Promise<Failed> {
  const how = await Promise.race([
    process.gone,
    new Promise<string>((done) => setTimeout(done, PATIENCE_MS, 'it gave no details')),
  ])
  const complaints = process.complaints().trim()
  const last = lastComplaint(complaints)
  const why = last === '' ? '' : ` ${last}`
  if (!isStarting || !(how.endsWith(' 127') || NOT_THERE.test(complaints)))
    return failedWith('died', `${title} stopped: ${how}.${why}`)
  const install = advice?.install === undefined ? '' : ` Run \`${advice.install}\`.`
  return failedWith('not_installed', `${title} is not installed: ${how}.${install}${why}`)
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
export function lastComplaint(written: string): string {
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
