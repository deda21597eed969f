import type { Kind } from '../tool-kinds.ts'
import { judgeAsJson } from './json.ts'
import { failsAsText, saysClient, saysExitZero } from './text.ts'

interface Answer {
  readonly ok: boolean | null
  readonly text: string
}

/** What is known about the agent and tool of a result. */
export interface Answerer {
  readonly kind?: Kind | undefined
  /** Whether `ok` comes from an exit code or something equally clear. */
  readonly isSure?: boolean | undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[0-9;]{0,32}m/g

/**
 * Decides whether a call failed: by its source, by explicit fields of its result, or by its exit
 * code. Words alone count only if none of these is known and the tool runs something, because the
 * content of files and pages says nothing about the call.
 */
export function hasFailed({ ok, text }: Answer, { kind, isSure = false }: Answerer = {}): boolean {
  if (ok === false) return true
  const plain = text.replace(/^\uFEFF/, '').replace(COLOURS, '')
  const counts = ok === null || (!isSure && (kind === 'terminal' || kind === 'code'))
  const judged = judgeAsJson(plain, counts)
  if (judged !== undefined) return judged
  if (saysClient(plain)) return true
  return counts && !saysExitZero(plain) && failsAsText(plain)
}
