import type { ChatErrorCode } from '@panoptes/schema'
import { codeInWords, type Failed, failedWith } from '../failed.ts'
import { fieldsOf, textOf } from '../fields.ts'
import type { AgentProcess } from './agent-process.ts'
import { MalformedOutput } from './message-stream.ts'

const SIGN_IN = -32_000
const NOT_THERE =
  /not found|no such file|E404|could not determine executable|ERR_MODULE_NOT_FOUND|Cannot find module/i
/** What the end of a process may come after the end of what it says. */
const PATIENCE_MS = 100

interface From {
  readonly title: string
  readonly process: AgentProcess
  /** It is still spoken to: it refused, rather than went. */
  readonly isOpen: boolean
}

/** Why a request to an agent failed. */
export async function failureOf(error: unknown, { title, process, isOpen }: From): Promise<Failed> {
  if (error instanceof MalformedOutput)
    return failedWith('malformed', `${title} answered with what is not ACP: ${error.message}.`)
  if (!isOpen) return died(title, process)
  const { code, message, data } = fieldsOf(error)
  const words = [textOf(message) || String(error), detailsOf(data)].filter(Boolean).join(': ')
  if (code === SIGN_IN)
    return failedWith(
      'unauthorized',
      `${title} wants you to sign in first (${words}). Run its own command in a terminal, sign in, and ask again.`,
    )
  return failedWith(codeInWords(words), `${title} gave an error: ${words}`)
}

/** It went without a word: what it wrote to whoever runs it may say why. */
async function died(title: string, process: AgentProcess): Promise<Failed> {
  const how = await Promise.race([
    process.gone,
    new Promise<string>((done) => setTimeout(done, PATIENCE_MS, 'it said no more')),
  ])
  const complaints = process.complaints().trim()
  const code: ChatErrorCode = how.endsWith(' 127') || NOT_THERE.test(complaints) ? 'not_installed' : 'died'
  const why = complaints === '' ? '' : ` ${complaints.slice(-400)}`
  return failedWith(
    code,
    code === 'died' ? `${title} broke off: ${how}.${why}` : `${title} is not installed: ${how}.${why}`,
  )
}

function detailsOf(data: unknown): string {
  if (typeof data === 'string') return data
  const { details, message, reason } = fieldsOf(data)
  return textOf(details) || textOf(message) || textOf(reason)
}
