import type { Language } from './language.ts'
import { type Line, partsOf } from './parts.ts'

/** A line that stands for work that is not done. */
export interface Stub {
  /** Without the space around it. */
  readonly line: string
  /** Its number in what was written, from 1 on. */
  readonly row: number
}

interface CodeSign {
  readonly languages?: ReadonlySet<string>
  /** In the code, its texts emptied. */
  readonly code: RegExp
  /** Also in the line as it is. */
  readonly text?: RegExp
  /** A method that others have to write is none. */
  readonly abstract?: true
}

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
/** At the beginning of a comment. */
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
/** Lines between a word that says so and the method. */
const ABSTRACT_REACH = 8
/** In a text with a stub is one of these. */
const MAYBE = /todo|fixme|implement|placeholder|stub|your code|rest of|\?\?\?/i
/** In characters: nobody writes more at once. */
const MOST_SOURCE = 2_000_000
const MOST_STUBS = 200
const MOST_KEPT = 200

/** Lines of code that are stubs, in time by their length. */
export function stubsIn(source: string, language: Language): readonly Stub[] {
  const looked = source.slice(0, MOST_SOURCE)
  if (!MAYBE.test(looked)) return []
  const stubs: Stub[] = []
  let row = 0
  let abstractUntil = -1
  for (const line of partsOf(looked, language)) {
    row += 1
    if (/\bclass\b/.test(line.code)) abstractUntil = ABSTRACT.test(line.code) ? Number.POSITIVE_INFINITY : -1
    else if (ABSTRACT.test(line.code)) abstractUntil = Math.max(abstractUntil, row + ABSTRACT_REACH)
    if (!isStub(line, language, row <= abstractUntil)) continue
    stubs.push({ line: line.text.trim().slice(0, MOST_KEPT), row })
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
