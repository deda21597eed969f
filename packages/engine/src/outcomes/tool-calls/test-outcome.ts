import { readOutput, wasCut } from './command-output.ts'
import { ownCopy } from './quote.ts'
import { parseTestResult, type TestResult } from './test-result.ts'
import type { Family, TestRun } from './test-run.ts'

export interface Answer {
  readonly ok: boolean | null
  readonly text: string
}

/** The result of a run of tests, and the line that shows it. */
export interface Judged {
  readonly went: 'passed' | 'failed' | 'unknown'
  /** The number of failed tests; null if the output does not count them. */
  readonly failed: number | null
  readonly line: string | null
}

export interface JudgedFamily extends Judged {
  readonly family: Family
}

const UNKNOWN: Judged = { went: 'unknown', failed: null, line: null }

/** Nothing was run, or it continues elsewhere. */
const NOT_RUN =
  /^\s{0,16}(?:<tool_use_error>|The user doesn't want to|\[Request interrupted|Command running in background|Process running with session|[^\n]{0,200}permission to use|[^\n]{0,200}running in (?:the )?background)/i
const NOT_THERE =
  /command not found|: not found|No module named (?:pytest|nose2|tox|nox)\b|Missing script:|is not recognized as|could not determine executable/i
const HEAD = 600

/** True if a call failed without having done anything. */
export function didNotRun(text: string): boolean {
  const head = text.slice(0, HEAD)
  return NOT_RUN.test(head) || NOT_THERE.test(head)
}

/** Judges the tests of a line, each kind separately. */
export function judgeTestRun(run: TestRun, { ok, text: output }: Answer): readonly JudgedFamily[] {
  const text = readOutput(output)
  if (NOT_RUN.test(text.slice(0, HEAD))) return unknown(run)
  const result = parseTestResult(text)
  // A run ended from outside proves nothing by its exit code.
  const ended = ok === false && wasCut(output) ? null : ok
  if (run.families.length > 1) return judgeEach(run, ended, text, result)
  return [{ family: run.family, ...judgedOne(run, ended, text, result) }]
}

const unknown = ({ families }: TestRun): readonly JudgedFamily[] =>
  families.map((family) => ({ family, ...UNKNOWN }))

/**
 * A failed call counts against its tests, unless something else in the line may have failed and the
 * tests report success.
 */
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

/**
 * For several kinds in one line, judges each by its own summary lines. An ambiguous summary may
 * belong to any of them.
 */
function judgeEach(
  run: TestRun,
  ok: boolean | null,
  text: string,
  { parts, failed }: TestResult,
): readonly JudgedFamily[] {
  const results = new Map<Family, JudgedFamily>()
  for (const part of parts) {
    const family = run.families.find((each) => each === part.family) ?? 'any'
    if (part.failed > 0) results.set(family, { family, went: 'failed', failed: part.failed, line: part.line })
    else if (family !== 'any') results.set(family, { family, went: 'passed', failed: 0, line: part.line })
  }
  const silent = run.families.filter((family) => !results.has(family))
  if (ok === true)
    for (const family of silent)
      if (run.isChain || (run.endsIt && family === run.family))
        results.set(family, { family, went: 'passed', failed: 0, line: null })
  const isSilent = silent.length > 0 && !results.has('any') && failed === 0
  if (ok === false && run.alone && isSilent && !NOT_THERE.test(text.slice(0, HEAD)))
    results.set('any', { family: 'any', went: 'failed', failed: null, line: firstLine(text) })
  return results.size === 0 ? unknown(run) : [...results.values()]
}

const MOST_LINE = 200

/** Returns the first line of a result. */
export function firstLine(text: string): string {
  const head = text.slice(0, 4_096).trimStart()
  const end = head.indexOf('\n')
  return ownCopy(head.slice(0, Math.min(end < 0 ? head.length : end, MOST_LINE)).trimEnd())
}
