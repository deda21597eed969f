import { baseName, commandsIn } from './command.ts'
import type { Simple } from './shell.ts'

/** The framework of the tests. `any` is a project's own test command, whatever it runs. */
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

/** A line that runs tests. */
export interface TestRun {
  /** The framework of the last tests. */
  readonly family: Family
  readonly families: readonly Family[]
  /** Nothing else in the line can have made it fail. */
  readonly alone: boolean
  /** The tests come last, so the line ends with their exit code. */
  readonly endsIt: boolean
  /** Each command runs only if those before it succeeded. */
  readonly isChain: boolean
}

type Rule = (rest: readonly string[]) => boolean
const always: Rule = () => true
const first =
  (...names: readonly string[]): Rule =>
  (rest) =>
    names.includes(rest.find((word) => !/^[-+]/.test(word)) ?? '')
/** Matches one of these words after options with arguments. */
const among =
  (...names: readonly string[]): Rule =>
  (rest) =>
    rest.some((word) => names.includes(word))
/** Options of package managers that take an argument. */
const TAKES_WORD = /^(?:--prefix|-w|--workspace|--filter|-F|-C|--cwd|--dir)$/
const script: Rule = (rest) => {
  const words = rest.filter((word, at) => !word.startsWith('-') && !TAKES_WORD.test(rest[at - 1] ?? ''))
  const own = words[0] === 'workspace' ? words.slice(2) : words
  const name = own[0] === 'run' || own[0] === 'run-script' ? own[1] : own[0]
  return name === 't' || /^(?:test|tests|check:test|e2e|spec)(?:[:.-]|$)/.test(name ?? '')
}
const module: Rule = (rest) => {
  const at = rest.indexOf('-m')
  if (at >= 0) return ['pytest', 'unittest', 'nose2', 'tox', 'nox'].includes(rest[at + 1] ?? '')
  const file = rest.findIndex((word) => baseName(word) === 'manage.py')
  return file >= 0 && rest[file + 1] === 'test'
}

const RULES: ReadonlyMap<string, readonly [Family, Rule]> = new Map<string, readonly [Family, Rule]>([
  ['cargo', ['rust', first('test', 't', 'nextest')]],
  ...['npm', 'pnpm', 'yarn'].map((name) => [name, ['script', script]] as const),
  ['bun', ['script', script]],
  ['deno', ['script', (rest) => rest[0] === 'test' || (rest[0] === 'task' && rest[1] === 'test')]],
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

/** Options for something other than running tests. */
const NO_RUN =
  /^(?:--help|-h|--version|-V|--no-run|--list|--listTests|--collect-only|--co|--dry-run|--showConfig|--init|--clearCache|-list)$/
/** Commands that only print or never fail. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['cd', 'echo', 'printf', 'export', 'source', '.', 'set', 'true', 'pushd', 'popd', 'sleep', 'date'],
  ...['tail', 'head', 'tee', 'cat', 'less', 'sed', 'awk', 'cut', 'sort', 'uniq', 'wc', 'tr', 'column'],
])

/** Returns the tests that a line runs. */
export function parseTestRun(line: string): TestRun | undefined {
  const commands = commandsIn(line)
  const families = [
    ...new Set(commands.flatMap((words) => findFamily(words) ?? []).toReversed()),
  ].toReversed()
  const family = families.at(-1)
  if (family === undefined) return undefined
  return {
    family,
    families,
    endsIt: findFamily(commands.at(-1) ?? []) !== undefined,
    alone: commands.every((words) => findFamily(words) !== undefined || isHarmless(words)),
    isChain: !/[;|\n&]/.test(line.slice(0, 65_536).replace(/&&|>&\d|&>/g, ' ')),
  }
}

/** Commands whose exit code reports whether something was found. */
const FINDERS: ReadonlySet<string> = new Set([
  ...['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack', 'find', 'fd', 'diff', 'cmp', 'test', '[', '[['],
  ...['pgrep', 'which', 'type', 'jq', 'git'],
])

/** True if a line fails only if its main command does. */
export function failsAlone(line: string): boolean {
  const commands = commandsIn(line).filter((words) => !isHarmless(words))
  return commands.length === 1 && !FINDERS.has(baseName(commands[0]?.[0] ?? ''))
}

/** Returns the last command that does not only print something. */
export const mainCommand = (line: string): Simple =>
  commandsIn(line).findLast((words) => !isHarmless(words)) ?? commandsIn(line).at(-1) ?? []

const isHarmless = (words: Simple): boolean => HARMLESS.has(baseName(words[0] ?? ''))

/** A project's own test script. */
const OWN = /^(?:run[-_]?)?(?:all[-_]?)?tests?(?:\.(?:sh|bash|py|js|mjs|ts))?$/

export function findFamily([name = '', ...rest]: Simple): Family | undefined {
  const base = baseName(name).replace(/^(python|pytest)\d?(?:\.\d{1,3})?$/, '$1')
  if (CONTAINERS.has(base)) return findFamily(containerCommand(rest))
  if (SCRIPTED.has(base) && OWN.test(baseName(rest[0] ?? ''))) return 'any'
  if (name.includes('/') && OWN.test(base)) return 'any'
  const rule = RULES.get(base)
  if (rule === undefined || rest.some((word) => NO_RUN.test(word))) return undefined
  if (base === 'vitest' && rest[0] === 'list') return undefined
  const [family, fits] = rule
  return fits(rest) ? family : undefined
}

const SCRIPTED: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh'])
const CONTAINERS: ReadonlySet<string> = new Set(['docker', 'podman', 'docker-compose', 'xvfb-run', 'kubectl'])

/** In a container, the command starts at the first known name. */
const containerCommand = (words: Simple): Simple => {
  const at = words.findIndex((word) => RULES.has(baseName(word)))
  return at < 0 ? [] : words.slice(at)
}
