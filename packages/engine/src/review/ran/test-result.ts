/** What a run of tests said of itself. */
export interface TestResult {
  readonly failed: number
  readonly passed: number
  /** The line that says so: of a failure where there is one. */
  readonly line: string | null
  /** Lines that sum up a run: several where several runs are in one text. */
  readonly summaries: number
  /** Whether anything tells how it went. */
  readonly told: boolean
}

interface Sign {
  readonly pattern: RegExp
  readonly failed?: readonly number[]
  readonly passed?: number
  /** Tests that the line counts, passed or not, where it does not count those that passed. */
  readonly all?: number
}

/** Lines in which test runners sum up; colours and frames are gone by then. Each begins at its line and is bounded. */
const SIGNS: readonly Sign[] = [
  // Rust
  { pattern: /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed/, failed: [2], passed: 1 },
  {
    pattern:
      /^Summary \[[^\]]{1,40}\] {0,4}\d{1,9} tests? run: (\d{1,9}) passed(?: \([^)]{1,60}\))?(?:, (\d{1,9}) failed)?/,
    failed: [2],
    passed: 1,
  },
  // Vitest, Jest, Playwright, Bun, Mocha, node:test
  {
    pattern:
      /^Tests:? {1,9}(?:(\d{1,9}) failed)?(?:(?: \||,) )?(?:\d{1,9} (?:skipped|todo|expected fail)(?:(?: \||,) ))*(?:(\d{1,9}) passed)?/,
    failed: [1],
    passed: 2,
  },
  { pattern: /^(\d{1,9}) failed$/, failed: [1] },
  { pattern: /^(\d{1,9}) passed \([\d.]{1,9}m?s(?:\)|$)/, passed: 1 },
  { pattern: /^(\d{1,9}) failing$/, failed: [1] },
  { pattern: /^(\d{1,9}) passing(?: \(|$)/, passed: 1 },
  { pattern: /^(\d{1,9}) fail$/, failed: [1] },
  { pattern: /^(\d{1,9}) pass$/, passed: 1 },
  { pattern: /^(?:#|ℹ) fail (\d{1,9})$/, failed: [1] },
  { pattern: /^(?:#|ℹ) pass (\d{1,9})$/, passed: 1 },
  // Deno
  {
    pattern: /^(?:ok|FAILED) \| (\d{1,9}) passed(?: \([^)]{1,40}\))? \| (\d{1,9}) failed/,
    failed: [2],
    passed: 1,
  },
  // pytest
  {
    pattern: /^(?:=+ )?(\d{1,9}) failed(?:, (\d{1,9}) passed)?(?:, [^\n]{1,80})? in [\d.]{1,9}/,
    failed: [1],
    passed: 2,
  },
  {
    pattern:
      /^(?:=+ )?(\d{1,9}) passed(?:, [^\n]{1,40}?)?(?:, (\d{1,9}) errors?)?(?:, [^\n]{1,40}?)? in [\d.]{1,9}/,
    failed: [2],
    passed: 1,
  },
  { pattern: /^(?:=+ )?(\d{1,9}) errors?(?:, [^\n]{1,80})? in [\d.]{1,9}/, failed: [1] },
  // unittest
  { pattern: /^FAILED \((?:failures=(\d{1,9}))?(?:, )?(?:errors=(\d{1,9}))?/, failed: [1, 2] },
  { pattern: /^Ran (\d{1,9}) tests? in [\d.]{1,9}s$/, all: 1 },
  // Maven, Gradle, PHPUnit
  {
    pattern: /^(?:\[\w{1,9}\] )?Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9})/,
    failed: [2, 3],
    all: 1,
  },
  { pattern: /^(\d{1,9}) tests? completed, (\d{1,9}) failed/, failed: [2], all: 1 },
  {
    pattern: /^Tests: (\d{1,9}), Assertions: \d{1,9}(?:, Errors: (\d{1,9}))?(?:, Failures: (\d{1,9}))?/,
    failed: [2, 3],
    all: 1,
  },
  { pattern: /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)/, passed: 1 },
  // RSpec, Minitest, Mix
  { pattern: /^(\d{1,9}) (?:examples?|tests?), (\d{1,9}) failures?/, failed: [2], all: 1 },
  {
    pattern: /^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors/,
    failed: [2, 3],
    all: 1,
  },
  // .NET, Swift, CTest
  {
    pattern: /^(?:Failed|Passed)! {1,4}- Failed: {1,9}(\d{1,9}), Passed: {1,9}(\d{1,9})/,
    failed: [1],
    passed: 2,
  },
  {
    pattern: /^Executed (\d{1,9}) tests?, with (?:\d{1,9} tests? skipped and )?(\d{1,9}) failures?/,
    failed: [2],
    all: 1,
  },
  { pattern: /^\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})/, failed: [1], all: 2 },
]
/** Lines that tell of one failed test, where no line counts them. Go has no other. */
const SINGLE =
  /^(?:--- FAIL: \S|FAIL\t\S|not ok \d{1,9} (?!.{0,200}# (?:TODO|SKIP))|FAILED \S{1,200}::|✖ failing tests:|BUILD FAILURE$|BUILD FAILED)/i
const GO_OK = /^ok {1,8}\t\S/

/** What may be in a line that is looked at: most lines have none of it. */
const MAYBE = /pass|fail|error|\bok\b|not ok|tests? |examples?|runs,/i
/** In characters: what sums up a run is short. */
const MOST_LINE = 240
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[0-9;]{0,32}m/g

/** Reads what was printed, line by line, once. */
export function testResultOf(text: string): TestResult {
  let failed = 0
  let passed = 0
  let single = 0
  let summaries = 0
  let told = false
  let bad: string | null = null
  let good: string | null = null
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const raw = text.slice(at, Math.min(end, at + MOST_LINE))
    at = end + 1
    if (!MAYBE.test(raw)) continue
    const line = raw.replace(COLOURS, '').trim()
    const found = summed(line)
    if (found !== undefined) {
      told = true
      summaries += 1
      failed += found.failed
      passed += found.passed
      if (found.failed > 0) bad = line
      else good = line
    } else if (SINGLE.test(line)) {
      single += 1
      bad ??= line
    } else if (GO_OK.test(line)) {
      told = true
      good = line
    }
  }
  const all = failed > 0 ? failed : single
  return { failed: all, passed, line: bad ?? good, summaries, told: told || all > 0 }
}

function summed(line: string): { readonly failed: number; readonly passed: number } | undefined {
  for (const sign of SIGNS) {
    const match = sign.pattern.exec(line)
    if (match === null) continue
    const of = (group: number | undefined): number => Number((group && match[group]) ?? 0)
    const counted = [...(sign.failed ?? []), sign.passed, sign.all].some((group) => group && match[group])
    if (!counted) continue
    const failed = (sign.failed ?? []).reduce((sum, group) => sum + of(group), 0)
    return { failed, passed: sign.passed ? of(sign.passed) : Math.max(0, of(sign.all) - failed) }
  }
  return undefined
}
