import { baseOf, commandsIn } from './command.ts'
import type { Simple } from './shell.ts'

/** Whose tests they are. `any`: what a project calls its tests, whatever they are written in. */
export type Family =
  | 'any'
  | 'rust'
  | 'script'
  | 'python'
  | 'go'
  | 'java'
  | 'ruby'
  | 'php'
  | 'dotnet'
  | 'swift'
  | 'c'
  | 'elixir'
  | 'dart'
  | 'other'

/** A command that runs tests, and whether nothing else of its line can have made it fail. */
export interface TestRun {
  readonly family: Family
  readonly alone: boolean
}

type Rule = (rest: readonly string[]) => boolean
const always: Rule = () => true
const first =
  (...names: readonly string[]): Rule =>
  (rest) =>
    names.includes(rest.find((word) => !/^[-+]/.test(word)) ?? '')
/** One of these words, after options that take a word too. */
const among =
  (...names: readonly string[]): Rule =>
  (rest) =>
    rest.some((word) => names.includes(word))
const script: Rule = (rest) => {
  const words = rest.filter((word) => !word.startsWith('-'))
  const name = words[0] === 'run' || words[0] === 'run-script' ? words[1] : words[0]
  return name === 't' || /^(?:test|tests|check:test|e2e|spec)(?:[:.-]|$)/.test(name ?? '')
}
const module: Rule = (rest) => {
  const at = rest.indexOf('-m')
  if (at >= 0) return ['pytest', 'unittest', 'nose2', 'tox', 'nox'].includes(rest[at + 1] ?? '')
  const file = rest.findIndex((word) => baseOf(word) === 'manage.py')
  return file >= 0 && rest[file + 1] === 'test'
}

const RULES: ReadonlyMap<string, readonly [Family, Rule]> = new Map<string, readonly [Family, Rule]>([
  ['cargo', ['rust', first('test', 't', 'nextest')]],
  ...['npm', 'pnpm', 'yarn'].map((name) => [name, ['script', script]] as const),
  ['bun', ['script', script]],
  ['deno', ['script', first('test')]],
  ['node', ['script', among('--test')]],
  ...['vitest', 'jest', 'mocha', 'ava', 'tap', 'karma', 'web-test-runner'].map(
    (name) => [name, ['script', always]] as const,
  ),
  ['playwright', ['script', first('test')]],
  ['cypress', ['script', first('run')]],
  ...['pytest', 'py.test', 'nose2', 'tox', 'nox'].map((name) => [name, ['python', always]] as const),
  ...['python', 'python3', 'py'].map((name) => [name, ['python', module]] as const),
  ['manage.py', ['python', first('test')]],
  ['go', ['go', first('test')]],
  ['gotestsum', ['go', always]],
  ...['mvn', 'mvnw', 'gradle', 'gradlew', 'sbt', 'lein'].map(
    (name) => [name, ['java', among('test', 'verify', 'check', ':test')]] as const,
  ),
  ['rspec', ['ruby', always]],
  ...['rake', 'rails'].map((name) => [name, ['ruby', first('test', 'spec')]] as const),
  ...['phpunit', 'pest'].map((name) => [name, ['php', always]] as const),
  ['composer', ['php', script]],
  ['dotnet', ['dotnet', first('test')]],
  ['swift', ['swift', first('test')]],
  ['xcodebuild', ['swift', among('test')]],
  ['ctest', ['c', always]],
  ['mix', ['elixir', first('test')]],
  ...['flutter', 'dart'].map((name) => [name, ['dart', first('test')]] as const),
  ...['stack', 'cabal', 'dune', 'meson'].map((name) => [name, ['other', first('test')]] as const),
  ['zig', ['other', among('test')]],
  ...['bats', 'busted', 'prove'].map((name) => [name, ['other', always]] as const),
  ...['make', 'just', 'task', 'bazel', 'ninja', 'nx', 'turbo'].map(
    (name) => [name, ['any', among('test', 'tests', 'check', 'unittest')]] as const,
  ),
])

/** Asked for something other than running them. */
const NO_RUN =
  /^(?:--help|-h|--version|-V|--no-run|--list|--listTests|--collect-only|--co|--dry-run|--showConfig|--init|--clearCache|-list)$/
/** What only shows, or never fails. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['cd', 'echo', 'printf', 'export', 'source', '.', 'set', 'true', 'pushd', 'popd', 'sleep', 'date'],
  ...['tail', 'head', 'tee', 'cat', 'less', 'sed', 'awk', 'cut', 'sort', 'uniq', 'wc', 'tr', 'column'],
])

/** The tests that a line runs; of several, the last. */
export function testRunOf(line: string): TestRun | undefined {
  const commands = commandsIn(line)
  let family: Family | undefined
  for (const words of commands) family = familyOf(words) ?? family
  if (family === undefined) return undefined
  return { family, alone: commands.every((words) => familyOf(words) !== undefined || isHarmless(words)) }
}

const isHarmless = (words: Simple): boolean => HARMLESS.has(baseOf(words[0] ?? ''))

function familyOf([name = '', ...rest]: Simple): Family | undefined {
  const rule = RULES.get(baseOf(name))
  if (rule === undefined || rest.some((word) => NO_RUN.test(word))) return undefined
  const [family, fits] = rule
  return fits(rest) ? family : undefined
}
