import { iterateLines } from '../tool-calls/edits.ts'
import { ownCopy } from '../tool-calls/quote.ts'

/** A line that stands for unfinished work. */
export interface Stub {
  /** The line without surrounding space. */
  readonly line: string
  /** Its line number in the written text, from 1. */
  readonly row: number
}

interface CodeSign {
  readonly languages?: ReadonlySet<string>
  /** Matches the code with its strings emptied. */
  readonly code: RegExp
  /** Must also match the original line. */
  readonly text?: RegExp
  /** Does not apply to abstract methods. */
  readonly abstract?: true
}

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

const languages = (names: string): ReadonlySet<string> => new Set(names.split(' '))
const UNDONE =
  /["'`](?:[\w.# ]{0,40}[:–-] {0,2})?(?:todo\b|(?:[\w.]{1,40} (?:is )?)?(?:not (?:yet )?implemented|unimplemented)\b)/i

const CODE: readonly CodeSign[] = [
  { languages: languages('rs'), code: /\b(?:todo|unimplemented)!\s{0,8}[([{]/ },
  { languages: languages('kt kts'), code: /(?:^|[^\w.])TODO\(/ },
  { languages: languages('scala'), code: /(?:^|[\s=({])\?\?\?(?:$|[\s)}])/ },
  { languages: languages('py rb'), code: /\braise NotImplementedError\b/, abstract: true },
  { code: /\bthrow new (?:\w{1,40}\.)?NotImplemented(?:Error|Exception)?\b/ },
  { code: /\bthrow\s{1,8}(?:new\s{1,8})?[\w.]{0,60}(?:Error|Exception)\(/, text: UNDONE },
  { code: /\bthrow ""/, text: UNDONE },
  { code: /\b(?:panic!?|fatalError|preconditionFailure|abort|die)\(/, text: UNDONE },
  { languages: languages('py rb'), code: /\braise \w{1,60}\(/, text: UNDONE, abstract: true },
  { languages: languages('go'), code: /\breturn\b.{0,80}\b(?:errors\.New|fmt\.Errorf)\(/, text: UNDONE },
]

const VERBS =
  'implement|add|fix|handle|wire|replace|finish|complete|write|support|hook|make|use|check|move|remove|actually|real|later'
/** These patterns match at the beginning of a comment. */
const COMMENTS: readonly RegExp[] = [
  new RegExp(`^(?:TODO|FIXME)(?:$|[:(!.]| ?[-–—] | (?:${VERBS})\\b)`),
  /^(?:placeholder|stub)[\s.:!…]{0,8}$/i,
  /^(?:(?:this|it|that) is |just |only |temporary |simple ){1,3}(?:an? )?(?:placeholder|stub)\b(?! (?:text|shown|that|which|element|attribute|image))/i,
  /^(?:an? )?(?:placeholder|stub(?:bed)?)(?: out)?[ :,–-]{1,3}(?:implementation|impl|for now|until|logic|code|function|method|response|body|return|will|to be)\b/i,
  /^(?:this is )?(?:currently )?not (?:yet )?implemented\b(?! (?:by|in|on) )/i,
  /^(?:\.{3} ?)?(?:implement (?:me|this)|to be implemented|implementation (?:goes |comes )?here|your code (?:goes )?here|rest of (?:the )?(?:code|implementation))\b/i,
]
const BEFORE_WORDS = /^[\s/*!#;<>@-]{1,40}/
const ABSTRACT =
  /abstract|\bABC\b|\bProtocol\b|\binterface\b|\bclass \w{0,60}(?:Base|Interface|Mixin)\b|\bclass Base/i
/** The maximum number of lines between an abstract declaration and the method. */
const ABSTRACT_REACH = 8
/** Every text with a stub contains one of these. */
export const MAYBE_STUB = /todo|fixme|implement|placeholder|stub|your code|rest of|\?\?\?/i
/** The maximum number of characters examined, because nobody writes more at once. */
const MOST_SOURCE = 2_000_000
const MOST_STUBS = 200
const MAX_STUB_LENGTH = 200

/** Returns the lines of code that are stubs, in linear time. */
export function stubsIn(source: string, language: Language): readonly Stub[] {
  const looked = source.slice(0, MOST_SOURCE)
  if (!MAYBE_STUB.test(looked)) return []
  const stubs: Stub[] = []
  let row = 0
  let abstractUntil = -1
  for (const line of parseLines(looked, language)) {
    row += 1
    if (/\bclass\b/.test(line.code)) abstractUntil = ABSTRACT.test(line.code) ? Number.POSITIVE_INFINITY : -1
    else if (ABSTRACT.test(line.code)) abstractUntil = Math.max(abstractUntil, row + ABSTRACT_REACH)
    if (!isStub(line, language, row <= abstractUntil)) continue
    stubs.push({ line: ownCopy(line.text.trim().slice(0, MAX_STUB_LENGTH)), row })
    if (stubs.length === MOST_STUBS) break
  }
  return stubs
}

function isStub({ text, code, comment }: Line, language: Language, isAbstract: boolean): boolean {
  const words = comment.trim().replace(BEFORE_WORDS, '').trimEnd()
  if (words !== '' && COMMENTS.some((sign) => sign.test(words))) return true
  return CODE.some(
    (sign) =>
      (sign.languages?.has(language.name) ?? true) &&
      !(sign.abstract && isAbstract) &&
      sign.code.test(code) &&
      (sign.text?.test(text) ?? true),
  )
}

/** A line of code: the original, its executable part with strings emptied, and its comment. */
interface Line {
  readonly text: string
  readonly code: string
  readonly comment: string
}

/** A line with more characters is data or generated. */
const MOST_LINE = 4_000

/** Separates code from comments and strings, line by line, in one pass. */
function* parseLines(source: string, language: Language): Generator<Line> {
  let open: Open | undefined
  for (const text of iterateLines(source)) {
    const line: Mutable = { text, code: '', comment: '' }
    if (text.length <= MOST_LINE) open = readLine(line, language, open)
    yield line
  }
}

interface Open {
  readonly close: string
  readonly isComment: boolean
}
interface Mutable {
  readonly text: string
  code: string
  comment: string
}

/** Returns what is still open at the end of the line. */
function readLine(line: Mutable, language: Language, before: Open | undefined): Open | undefined {
  const { text } = line
  /** Quotes without a counterpart on this line. */
  const lonely = new Set<string>()
  let open = before
  let at = 0
  while (at < text.length) {
    if (open !== undefined) {
      const end = text.indexOf(open.close, at)
      if (open.isComment) line.comment += `${text.slice(at, end < 0 ? text.length : end)} `
      if (end < 0) return open
      at = end + open.close.length
      open = undefined
      continue
    }
    const block = language.block.find(([start]) => text.startsWith(start, at))
    const long = language.long.find((quote) => text.startsWith(quote, at))
    if (block !== undefined) {
      open = { close: block[1], isComment: true }
      at += block[0].length
    } else if (long !== undefined) {
      open = { close: long, isComment: false }
      line.code += '"'
      at += long.length
    } else if (language.line.some((start) => text.startsWith(start, at)) && text[at - 1] !== ':') {
      line.comment += text.slice(at)
      return undefined
    } else {
      const sign = text[at] as string
      const end = (sign === '"' || sign === "'") && !lonely.has(sign) ? textEnd(text, at) : -1
      if (end < 0 && (sign === '"' || sign === "'")) lonely.add(sign)
      line.code += end < 0 ? sign : '""'
      at = end < 0 ? at + 1 : end + 1
    }
  }
  return open
}

function textEnd(text: string, at: number): number {
  const quote = text[at]
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++
    else if (text[end] === quote) return end
  }
  return -1
}

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
