type List<T> = readonly [T, ...T[]]

export interface Tool {
  readonly weight: number
  readonly name: string
  /** The usual duration of a call. */
  readonly ms: number
  readonly failRate: number
  readonly preview: (file: string) => string
}

export const TOOLS: List<Tool> = [
  { weight: 30, name: 'Read', ms: 24, failRate: 0.01, preview: (file) => file },
  { weight: 18, name: 'Edit', ms: 84, failRate: 0.03, preview: (file) => `${file} +6 −2` },
  { weight: 16, name: 'Grep', ms: 45, failRate: 0.005, preview: (file) => `"round(" in ${file}` },
  { weight: 18, name: 'Bash', ms: 4_100, failRate: 0.12, preview: (file) => `npm test -- ${file}` },
  { weight: 6, name: 'Write', ms: 60, failRate: 0.02, preview: (file) => file },
  { weight: 5, name: 'Glob', ms: 30, failRate: 0, preview: (file) => `**/${file.split('/').at(-1)}` },
  { weight: 4, name: 'WebFetch', ms: 900, failRate: 0.08, preview: () => 'https://example.org/changelog' },
  { weight: 3, name: 'WebSearch', ms: 1_400, failRate: 0.04, preview: () => 'sqlite wal checkpoint stall' },
]

export const ERRORS: List<string> = [
  'Exit code 1: 2 tests failed',
  'Exit code 2: type error in plan.ts:41',
  'The text to replace was not found in the file',
  'Request timed out after 30 s',
  'Permission denied',
]

/** The output of a failing test run, for an occasional long preview. */
export const LONG_ERROR = Array.from(
  { length: 11 },
  (_, line) => `✕ invoice ${412 + line} rounds the sum: expected 118.${40 + line}, received 118.${41 + line}`,
).join('\n')

export interface Skill {
  readonly weight: number
  readonly name: string
  readonly successRate: number
}

export const SKILLS: List<Skill> = [
  { weight: 6, name: 'review-diff', successRate: 0.94 },
  { weight: 4, name: 'write-migration', successRate: 0.97 },
  { weight: 3, name: 'write-guide', successRate: 0.88 },
  { weight: 2, name: 'release-notes', successRate: 0.86 },
  { weight: 2, name: 'profile-node', successRate: 0.76 },
  { weight: 2, name: 'fix-flaky', successRate: 0.46 },
]

/** Dollars per million tokens. A model without a price has no cost. */
export const PRICES: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  'claude-opus-5': { input: 5, output: 25 },
  'claude-sonnet-5': { input: 3, output: 15 },
  'claude-haiku-5': { input: 1, output: 5 },
}

export const HELPER_MODELS: List<{ readonly weight: number; readonly name: string }> = [
  { weight: 5, name: 'claude-sonnet-5' },
  { weight: 4, name: 'claude-haiku-5' },
  { weight: 1, name: 'claude-opus-5' },
  { weight: 1, name: 'local-32b' },
]

export const CLAIMS: List<{ readonly tier: string; readonly value: string; readonly pointer: string }> = [
  { tier: 'REAL', value: '1,204 invoices, 0 differ', pointer: 'Bash, step 88' },
  { tier: 'REAL', value: 'all 412 tests pass', pointer: 'Bash, step 131' },
  { tier: 'REAL', value: '62 % of time in fsync', pointer: 'profile.json:19' },
  { tier: 'FROM-JOURNAL', value: 'insert is 3.1× faster', pointer: 'bench row 19' },
  { tier: 'FROM-JOURNAL', value: 'a port takes 11 minutes', pointer: 'agent-toolstats row 204' },
  { tier: 'ESTIMATE-HTC', value: 'about 40 lines change', pointer: 'step 31' },
  { tier: 'ESTIMATE-HTC', value: 'two more hours', pointer: 'plan, item 4' },
]

export const FOLLOW_UPS: List<string> = [
  'run it against the recorded invoices',
  'write the test for the empty batch',
  'ask who still reads the old table',
  'measure it again after the merge',
]

export const WAITS: List<string> = [
  'permission: Bash',
  'permission: WebFetch',
  'question: keep the old URLs?',
  'idle: waiting for a prompt',
]
