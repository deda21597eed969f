import { ownCopy } from './quote.ts'
import type { Family } from './test-run.ts'

/** What a run of tests reported. */
export interface TestResult {
  readonly failed: number
  readonly passed: number
  /** The line that shows it; a failure takes precedence. */
  readonly line: string | null
  /** Number of summarized runs. */
  readonly summaries: number
  /** Whether anything shows the result. */
  readonly told: boolean
  /** Whether it reports that there was nothing to run. */
  readonly none: boolean
  /** The counts per test framework, if the lines show it. */
  readonly parts: readonly Part[]
}

export interface Part {
  /** The framework of the tests; undefined if it may be any. */
  readonly family: Family | undefined
  failed: number
  passed: number
  line: string
}

interface Sign {
  readonly pattern: RegExp
  readonly family?: Family
  readonly failed?: readonly number[]
  readonly passed?: number
  /** The group with all tests, if the line does not count the passed ones. */
  readonly all?: number
  /** The failed tests were counted by an earlier line. */
  readonly among?: true
}

/**
 * Summary lines of test runners, without colours and frames. Each pattern is anchored at its line
 * and bounded.
 */
const SIGNS: readonly Sign[] = [
  // Rust
  {
    family: 'rust',
    pattern: /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed/,
    failed: [2],
    passed: 1,
  },
  {
    family: 'rust',
    pattern:
      /^Summary \[[^\]]{1,40}\] {0,4}\d{1,9} tests? run: (\d{1,9}) passed(?: \([^)]{1,60}\))?(?:, (\d{1,9}) failed)?/,
    failed: [2],
    passed: 1,
  },
  // Vitest, Jest, Playwright, Bun, Mocha, node:test
  {
    family: 'script',
    pattern:
      /^Tests:? {1,9}(?:(\d{1,9}) failed)?(?:(?: \||,) )?(?:\d{1,9} (?:skipped|todo|expected fail)(?:(?: \||,) ))*(?:(\d{1,9}) passed)?/,
    failed: [1],
    passed: 2,
  },
  { family: 'script', pattern: /^(\d{1,9}) failed$/, failed: [1] },
  { family: 'script', pattern: /^(\d{1,9}) passed \([\d.]{1,9}m?s(?:\)|$)/, passed: 1 },
  { family: 'script', pattern: /^(\d{1,9}) failing$/, failed: [1] },
  { family: 'script', pattern: /^(\d{1,9}) passing(?: \(|$)/, passed: 1 },
  { family: 'script', pattern: /^(\d{1,9}) fail$/, failed: [1] },
  { family: 'script', pattern: /^(\d{1,9}) pass$/, passed: 1 },
  { family: 'script', pattern: /^(?:#|ℹ) fail (\d{1,9})$/, failed: [1] },
  { family: 'script', pattern: /^(?:#|ℹ) pass (\d{1,9})$/, passed: 1 },
  // Deno
  {
    family: 'script',
    pattern: /^(?:ok|FAILED) \| (\d{1,9}) passed(?: \([^)]{1,40}\))? \| (\d{1,9}) failed/,
    failed: [2],
    passed: 1,
  },
  // pytest
  {
    family: 'python',
    pattern: /^(?:=+ )?(\d{1,9}) failed(?:, (\d{1,9}) passed)?(?:, [^\n]{1,80})? in [\d.]{1,9}/,
    failed: [1],
    passed: 2,
  },
  {
    family: 'python',
    pattern:
      /^(?:=+ )?(\d{1,9}) passed(?:, [^\n]{1,40}?)?(?:, (\d{1,9}) errors?)?(?:, [^\n]{1,40}?)? in [\d.]{1,9}/,
    failed: [2],
    passed: 1,
  },
  { family: 'python', pattern: /^(?:=+ )?(\d{1,9}) errors?(?:, [^\n]{1,80})? in [\d.]{1,9}/, failed: [1] },
  // unittest
  {
    family: 'python',
    pattern: /^FAILED \((?:failures=(\d{1,9}))?(?:, )?(?:errors=(\d{1,9}))?/,
    failed: [1, 2],
    among: true,
  },
  { family: 'python', pattern: /^Ran (\d{1,9}) tests? in [\d.]{1,9}s$/, all: 1 },
  // Maven, Gradle, PHPUnit
  {
    family: 'java',
    pattern: /^(?:\[\w{1,9}\] )?Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9})/,
    failed: [2, 3],
    all: 1,
  },
  { family: 'java', pattern: /^(\d{1,9}) tests? completed, (\d{1,9}) failed/, failed: [2], all: 1 },
  {
    family: 'php',
    pattern: /^Tests: (\d{1,9}), Assertions: \d{1,9}(?:, Errors: (\d{1,9}))?(?:, Failures: (\d{1,9}))?/,
    failed: [2, 3],
    all: 1,
  },
  { family: 'php', pattern: /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)/, passed: 1 },
  // RSpec, Minitest, Mix
  { pattern: /^(\d{1,9}) (?:examples?|tests?), (\d{1,9}) failures?/, failed: [2], all: 1 },
  {
    family: 'ruby',
    pattern: /^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors/,
    failed: [2, 3],
    all: 1,
  },
  // .NET, Swift, CTest
  {
    family: 'dotnet',
    pattern: /^(?:Failed|Passed)! {1,4}- Failed: {1,9}(\d{1,9}), Passed: {1,9}(\d{1,9})/,
    failed: [1],
    passed: 2,
  },
  {
    family: 'swift',
    pattern: /^Executed (\d{1,9}) tests?, with (?:\d{1,9} tests? skipped and )?(\d{1,9}) failures?/,
    failed: [2],
    all: 1,
  },
  {
    family: 'c',
    pattern: /^\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})/,
    failed: [1],
    all: 2,
  },
]
/** Lines that report a single failed test, for runs without a count. Go prints nothing else. */
const SINGLE: readonly Sign[] = [
  { family: 'go', pattern: /^(?:--- FAIL: \S|FAIL\t\S)/ },
  { family: 'python', pattern: /^FAILED \S{1,200}::/ },
  { family: 'java', pattern: /^(?:BUILD FAILURE$|BUILD FAILED)/i },
  { pattern: /^(?:not ok \d{1,9} (?!.{0,200}# (?:TODO|SKIP))|✖ failing tests:)/i },
]
/** Success lines of Go and of custom scripts. */
const FINE: readonly Sign[] = [
  { family: 'go', pattern: /^ok {1,8}\t\S(?!.{0,200}\[no tests? )/ },
  {
    pattern: /^(?:[✓✔] ?)?all (?:\d{1,9} )?(?:\w{1,20} )?(?:tests?|checks?) (?:have )?pass(?:ed)?\b/i,
  },
]
const NONE =
  /^.{0,60}\bno tests? (?:files? |suites? |cases? )?(?:(?:was |were )?(?:found|ran|run|executed|matched|available|collected)|to run|is available)\b/i

/** Every relevant line contains one of these; most lines contain none. */
const MAYBE = /pass|fail|error|\bok\b|not ok|tests? |examples?|runs,/i
/** Only this many characters of a line are examined, because summaries are short. */
const MOST_LINE = 240
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\u001b\[[0-9;]{0,32}m/g

/** Parses the output line by line in one pass. */
export function parseTestResult(text: string): TestResult {
  const parts = new Map<Family | undefined, Part>()
  const singles = new Map<Family | undefined, Part>()
  /** Counts summaries in one line, and those that report one half. */
  const lines = { whole: 0, failed: 0, passed: 0 }
  let fine = false
  let saysNone = false
  let bad: string | null = null
  let firstSingle: string | null = null
  let good: string | null = null
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    const raw = text.slice(at, Math.min(end, at + MOST_LINE))
    at = end + 1
    if (!MAYBE.test(raw)) continue
    const line = raw.replace(COLOURS, '').trim()
    const found = parseSummary(line)
    if (found !== undefined) {
      lines[found.half ?? 'whole'] += 1
      add(parts, found.family, found, line)
      if (found.failed > 0) bad = line
      else good = line
      continue
    }
    const single = SINGLE.find(({ pattern }) => pattern.test(line))
    const one = single === undefined ? FINE.find(({ pattern }) => pattern.test(line)) : undefined
    if (single !== undefined) {
      add(singles, single.family, { failed: 1, passed: 0 }, line)
      firstSingle ??= line
    } else if (one !== undefined) {
      fine = true
      add(parts, one.family, { failed: 0, passed: 0 }, line)
      good = line
    } else if (NONE.test(line)) saysNone = true
  }
  const counted = [...parts.values()].reduce((sum, { failed }) => sum + failed, 0)
  if (counted === 0)
    for (const { family, failed, line } of singles.values()) add(parts, family, { failed, passed: 0 }, line)
  const failed = [...parts.values()].reduce((sum, part) => sum + part.failed, 0)
  const passed = [...parts.values()].reduce((sum, part) => sum + Math.max(0, part.passed), 0)
  const summaries = lines.whole + Math.max(lines.failed, lines.passed)
  const line = bad ?? firstSingle ?? good
  return {
    failed,
    passed,
    line: line === null ? null : ownCopy(line),
    summaries,
    told: parts.size > 0,
    none: failed + passed === 0 && !fine && (saysNone || summaries > 0),
    parts: [...parts.values()].map((part) => ({ ...part, line: ownCopy(part.line) })),
  }
}

function add(
  parts: Map<Family | undefined, Part>,
  family: Family | undefined,
  { failed, passed }: { readonly failed: number; readonly passed: number },
  line: string,
): void {
  const existing = parts.get(family)
  if (existing === undefined) {
    parts.set(family, { family, failed, passed, line })
    return
  }
  existing.failed += failed
  existing.passed += passed
  if (failed > 0 || existing.failed === 0) existing.line = line
}

interface Summed {
  readonly family: Family | undefined
  readonly failed: number
  readonly passed: number
  /** Which half of a two-line summary this is. */
  readonly half: 'failed' | 'passed' | undefined
}

function parseSummary(line: string): Summed | undefined {
  for (const { pattern, family, failed: groups = [], passed: own, all, among } of SIGNS) {
    const match = pattern.exec(line)
    if (match === null) continue
    const of = (group: number | undefined): number => Number((group && match[group]) ?? 0)
    if (![...groups, own, all].some((group) => group && match[group])) continue
    const failed = groups.reduce((sum, group) => sum + of(group), 0)
    const rest = Math.max(0, of(all) - failed)
    const half =
      own === undefined && all === undefined ? 'failed' : groups.length === 0 ? 'passed' : undefined
    return { family, failed, passed: among ? -failed : own ? of(own) : rest, half }
  }
  return undefined
}
