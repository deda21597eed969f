/** The comment syntax of a programming language. */
export interface Language {
  readonly line: readonly string[]
  readonly block: readonly (readonly [open: string, close: string])[]
  /** Quotes of multi-line strings. */
  readonly long: readonly string[]
  readonly name: string
}

const SLASH = { line: ['//'], block: [['/*', '*/']], long: ['`'] } as const
const HASH = { line: ['#'], block: [], long: ['"""', "'''"] } as const
const DASH = { line: ['--'], block: [['/*', '*/']], long: [] } as const
const MARKUP = {
  line: ['//'],
  block: [
    ['<!--', '-->'],
    ['/*', '*/'],
  ],
  long: ['`'],
} as const

const named = (how: Omit<Language, 'name'>, names: string): readonly (readonly [string, Language])[] =>
  names.split(' ').map((name) => [name, { ...how, name }])

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...named(SLASH, 'js jsx mjs cjs ts tsx mts cts'),
  ...named(
    { ...SLASH, long: ['"""'] },
    'rs c h cc cpp hpp cxx cs java kt kts scala go swift php dart zig groovy proto m mm sol css scss less fs',
  ),
  ...named(HASH, 'py rb sh bash zsh pl pm r jl ex exs nim ps1'),
  ...named(DASH, 'sql lua hs elm'),
  ...named(MARKUP, 'html htm vue svelte astro'),
])

/** Folders whose files are full of text that elsewhere would be a stub. */
const NO_CODE_FOLDER: ReadonlySet<string> = new Set([
  ...['test', 'tests', '__tests__', 'spec', 'specs', '__mocks__', 'mocks', 'fixtures', 'testdata', 'e2e'],
  ...['examples', 'docs', 'node_modules', 'vendor', '__snapshots__'],
])
const NO_CODE_NAME =
  /(?:^tests?[._-]|^conftest\.|[._-](?:test|tests|spec|specs|mock|mocks|stub|stubs|fixture)\.|(?:Test|Tests|Spec)\.(?:java|kt|cs|swift|scala|php)$|\.d\.[mc]?ts$|\.min\.js$)/
/** Folders further up describe where a project is, not what a file is for. */
const NEAR = 3

/** Detects the language of a file; undefined if it is not code or is code about other code. */
export function detectLanguage(path: string): Language | undefined {
  const parts = path.slice(-4_096).split(/[/\\]/)
  const name = parts.at(-1) ?? ''
  if (NO_CODE_NAME.test(name)) return undefined
  if (parts.slice(-1 - NEAR, -1).some((folder) => NO_CODE_FOLDER.has(folder.toLowerCase()))) return undefined
  return LANGUAGES.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase())
}
