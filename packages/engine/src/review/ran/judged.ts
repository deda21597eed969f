import { wasCut } from './exit-code.ts'
import { printed } from './printed.ts'
import { ownCopy } from './quote.ts'
import { type TestResult, testResultOf } from './test-result.ts'
import type { Family, TestRun } from './test-run.ts'

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

export interface JudgedFamily extends Judged {
  readonly family: Family
}

const UNKNOWN: Judged = { went: 'unknown', failed: null, line: null }

/** Nothing was run, or it goes on elsewhere. */
const NOT_RUN =
  /^\s{0,16}(?:<tool_use_error>|The user doesn't want to|\[Request interrupted|Command running in background|Process running with session|[^\n]{0,200}permission to use|[^\n]{0,200}running in (?:the )?background)/i
const NOT_THERE =
  /command not found|: not found|No module named (?:pytest|nose2|tox|nox)\b|Missing script:|is not recognized as|could not determine executable/i
const HEAD = 600

/** Whether a call that failed did so without having done anything. */
export function didNotRun(text: string): boolean {
  const head = text.slice(0, HEAD)
  return NOT_RUN.test(head) || NOT_THERE.test(head)
}

/** How the tests of a line went, each kind of them for itself. */
export function judged(run: TestRun, { ok, text: told }: Answer): readonly JudgedFamily[] {
  const text = printed(told)
  if (NOT_RUN.test(text.slice(0, HEAD))) return unknown(run)
  const result = testResultOf(text)
  // What was ended from outside tells nothing by that.
  const ended = ok === false && wasCut(told) ? null : ok
  if (run.families.length > 1) return eachOf(run, ended, text, result)
  return [{ family: run.family, ...judgedOne(run, ended, text, result) }]
}

const unknown = ({ families }: TestRun): readonly JudgedFamily[] =>
  families.map((family) => ({ family, ...UNKNOWN }))

/** A call that failed counts against its tests unless something else in its line may have failed and the tests say they passed. */
function judgedOne(run: TestRun, ok: boolean | null, text: string, result: TestResult): Judged {
  if (result.failed > 0) return { went: 'failed', failed: result.failed, line: result.line }
  if (result.none) return UNKNOWN
  if (ok === false) {
    if (!result.told && NOT_THERE.test(text.slice(0, HEAD))) return UNKNOWN
    if (result.told && !run.alone) return { went: 'passed', failed: 0, line: result.line }
    return run.alone || result.told ? { went: 'failed', failed: null, line: firstLine(text) } : UNKNOWN
  }
  if (result.told || (ok === true && run.endsIt)) return { went: 'passed', failed: 0, line: result.line }
  return UNKNOWN
}

/** Of several kinds in one line: each by the lines that sum it up. What may be any of them is anyone's. */
function eachOf(
  run: TestRun,
  ok: boolean | null,
  text: string,
  { parts, failed }: TestResult,
): readonly JudgedFamily[] {
  const told = new Map<Family, JudgedFamily>()
  for (const part of parts) {
    const family = run.families.find((each) => each === part.family) ?? 'any'
    if (part.failed > 0) told.set(family, { family, went: 'failed', failed: part.failed, line: part.line })
    else if (family !== 'any') told.set(family, { family, went: 'passed', failed: 0, line: part.line })
  }
  const silent = run.families.filter((family) => !told.has(family))
  if (ok === true)
    for (const family of silent)
      if (run.isChain || (run.endsIt && family === run.family))
        told.set(family, { family, went: 'passed', failed: 0, line: null })
  const isSilent = silent.length > 0 && !told.has('any') && failed === 0
  if (ok === false && run.alone && isSilent && !NOT_THERE.test(text.slice(0, HEAD)))
    told.set('any', { family: 'any', went: 'failed', failed: null, line: firstLine(text) })
  return told.size === 0 ? unknown(run) : [...told.values()]
}

const MOST_LINE = 200

/** The first words of an answer. */
export function firstLine(text: string): string {
  const head = text.slice(0, 4_096).trimStart()
  const end = head.indexOf('\n')
  return ownCopy(head.slice(0, Math.min(end < 0 ? head.length : end, MOST_LINE)).trimEnd())
}
