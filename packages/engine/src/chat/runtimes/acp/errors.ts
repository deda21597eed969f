import { codeInWords, type Failed, failedWith } from '../failed.ts'
import { fieldsOf, textOf } from '../fields.ts'
import type { Advice, AgentProcess } from './agent-process.ts'
import { lastComplaint } from './complaint.ts'
import { MalformedOutput } from './message-stream.ts'

const SIGN_IN = -32_000
const NOT_THERE =
  /not found|no such file|E404|could not determine executable|ERR_MODULE_NOT_FOUND|Cannot find module/i
/** What the end of a process may come after the end of what it says. */
const PATIENCE_MS = 100

interface From {
  readonly title: string
  readonly advice?: Advice | undefined
  readonly process: AgentProcess
  /** It has not yet said who it is. */
  readonly isStarting: boolean
  /** It is still spoken to: it refused, rather than went. */
  readonly isOpen: boolean
}

/** Why a request to an agent failed. */
export async function failureOf(error: unknown, from: From): Promise<Failed> {
  const { title, advice, isOpen } = from
  if (error instanceof MalformedOutput)
    return failedWith('malformed', `${title} answered with what is not ACP: ${error.message}.`)
  if (!isOpen) return died(from)
  return toldFailure(error, { title, advice })
}

/** What an error of its own says. */
export function toldFailure(error: unknown, { title, advice }: Pick<From, 'title' | 'advice'>): Failed {
  const { code, message, data } = fieldsOf(error)
  const words = [textOf(message) || String(error), detailsOf(data)].filter(Boolean).join(': ')
  if (code === SIGN_IN)
    return failedWith(
      'unauthorized',
      `${title} wants you to sign in first (${words}). ${signIn(advice)} in a terminal, and ask again.`,
    )
  return failedWith(codeInWords(words), `${title} gave an error: ${words}`)
}

const signIn = (advice: Advice | undefined): string =>
  advice?.signIn === undefined ? 'Run its own command and sign in' : `Run \`${advice.signIn}\``

/** It went without a word: what it wrote to whoever runs it may say why. */
async function died({ title, advice, process, isStarting }: From): Promise<Failed> {
  const how = await Promise.race([
    process.gone,
    new Promise<string>((done) => setTimeout(done, PATIENCE_MS, 'it said no more')),
  ])
  const complaints = process.complaints().trim()
  const last = lastComplaint(complaints)
  const why = last === '' ? '' : ` ${last}`
  if (!isStarting || !(how.endsWith(' 127') || NOT_THERE.test(complaints)))
    return failedWith('died', `${title} broke off: ${how}.${why}`)
  const install = advice?.install === undefined ? '' : ` Run \`${advice.install}\`.`
  return failedWith('not_installed', `${title} is not installed: ${how}.${install}${why}`)
}

function detailsOf(data: unknown): string {
  if (typeof data === 'string') return data
  const { details, message, reason } = fieldsOf(data)
  return textOf(details) || textOf(message) || textOf(reason)
}
