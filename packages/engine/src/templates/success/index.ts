import type { Kind } from '../tool-kinds.ts'
import { judgedAsJson } from './json.ts'
import { failsAsText, saysClient, saysExitZero } from './text.ts'

interface Answer {
  readonly ok: boolean | null
  readonly text: string
}

/** What is known of who answered. */
export interface Answerer {
  readonly kind?: Kind | undefined
  /** Whether `ok` is of an exit code, or of something as clear. */
  readonly isSure?: boolean | undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[0-9;]{0,32}m/g

/**
 * Whether a call failed: by its source, else by fields of its result that say so, else by its exit code. Words alone count where
 * nothing of this is known, and for what ran something: what files and pages say is no news of the call.
 */
export function hasFailed({ ok, text }: Answer, { kind, isSure = false }: Answerer = {}): boolean {
  if (ok === false) return true
  const plain = text.replace(/^\uFEFF/, '').replace(COLOURS, '')
  const counts = ok === null || (!isSure && (kind === 'terminal' || kind === 'code'))
  const judged = judgedAsJson(plain, counts)
  if (judged !== undefined) return judged
  if (saysClient(plain)) return true
  return counts && !saysExitZero(plain) && failsAsText(plain)
}
