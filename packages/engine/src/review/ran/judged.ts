import { testResultOf } from './test-result.ts'
import type { TestRun } from './test-run.ts'

export interface Answer {
  readonly ok: boolean | null
  readonly text: string
}

/** How a run of tests went, and the line that tells. */
export interface Judged {
  readonly went: 'passed' | 'failed' | 'unknown'
  /** Null where nobody counted. */
  readonly failed: number | null
  readonly line: string | null
}

const UNKNOWN: Judged = { went: 'unknown', failed: null, line: null }

/** Nothing was run, or it goes on elsewhere. */
const NOT_RUN =
  /^\s{0,16}(?:<tool_use_error>|The user doesn't want to|\[Request interrupted|Command running in background|Process running with session|[^\n]{0,200}permission to use|[^\n]{0,200}running in (?:the )?background)/i
const NOT_THERE =
  /command not found|: not found|No module named (?:pytest|nose2|tox|nox)\b|Missing script:|is not recognized as|could not determine executable/i
const HEAD = 600

/** A call that failed counts against its tests unless something else in its line may have failed and the tests say they passed. */
export function judged(run: TestRun, { ok, text }: Answer): Judged {
  const head = text.slice(0, HEAD)
  if (NOT_RUN.test(head)) return UNKNOWN
  const result = testResultOf(text)
  if (result.failed > 0) return { went: 'failed', failed: result.failed, line: result.line }
  if (ok === false) {
    if (!result.told && NOT_THERE.test(head)) return UNKNOWN
    if (result.told && !run.alone) return { went: 'passed', failed: 0, line: result.line }
    return run.alone || result.told ? { went: 'failed', failed: null, line: firstLine(text) } : UNKNOWN
  }
  if (result.told || ok === true) return { went: 'passed', failed: 0, line: result.line }
  return UNKNOWN
}

const MOST_LINE = 200

/** The first words of an answer. */
export function firstLine(text: string): string {
  const head = text.slice(0, 4_096).trimStart()
  const end = head.indexOf('\n')
  return head.slice(0, Math.min(end < 0 ? head.length : end, MOST_LINE)).trimEnd()
}
