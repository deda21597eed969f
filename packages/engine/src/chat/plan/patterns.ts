import { LANGUAGES, type LanguageWords, type Work } from './languages.ts'

const ALL = Object.values(LANGUAGES)
const isUnspaced = ({ isUnspaced = false }: LanguageWords): boolean => isUnspaced

const joinAlternatives = (sources: readonly string[]): string => sources.join('|') || '(?!)'
const opening = (source: string): RegExp => new RegExp(`^(?:${source})`, 'iu')

type Words = (language: LanguageWords) => readonly string[]

/**
 * Builds one pattern from the words of several languages, longest first. In languages with spaces,
 * each matches whole words only.
 */
function wordsPattern(words: Words, languages: readonly LanguageWords[]): string {
  const alternatives = (unspaced: boolean, end: string): readonly string[] => {
    const sources = languages
      .filter((language) => isUnspaced(language) === unspaced)
      .flatMap((language) => words(language).map((word) => word.replace(/\*$/, '\\p{L}{0,10}')))
      .toSorted((one, other) => other.length - one.length)
    return sources.length === 0 ? [] : [`(?:${sources.join('|')})${end}`]
  }
  return `(?:${joinAlternatives([...alternatives(false, "(?![\\p{L}'’])"), ...alternatives(true, '')])})`
}

const verbsIn: Words = ({ verbs }) => Object.values(verbs).flat()
const orderIn: Words = ({ first, next, beside }) => [...first, ...next, ...beside]
/** A placeholder in a word stands for any verb of its language. */
const withVerbs = (language: LanguageWords, words: readonly string[]): readonly string[] =>
  words.map((word) => word.replace('{verb}', () => wordsPattern(verbsIn, [language])))

export type Patterns = ReturnType<typeof buildPatterns>

/** Builds the patterns by which clauses of these languages begin and end. */
function buildPatterns(languages: readonly LanguageWords[]) {
  const spaced = languages.filter((language) => !isUnspaced(language))
  const unspaced = languages.filter(isUnspaced)
  const opens = (words: Words, among = languages) => opening(wordsPattern(words, among))
  const anywhere = (words: Words) =>
    new RegExp(`(?<!\\p{L})${wordsPattern(words, spaced)}|${wordsPattern(words, unspaced)}`, 'iu')
  const all = (words: Words) => joinAlternatives(languages.flatMap(words))
  const comma = languages.some(({ isEnumeration }) => isEnumeration) ? '[,\uFF0C]' : '[,\uFF0C、]'
  return {
    /** What a clause may open with. */
    OPENS: {
      first: opens(({ first }) => first),
      next: opens(({ next }) => next),
      beside: opens(({ beside }) => beside),
      and: opens(({ and }) => and),
      polite: opens(({ polite }) => polite),
      request: opens(({ request }) => request),
      question: opens(({ question }) => question),
      narrative: opens(({ narrative }) => narrative),
      subject: opens(({ subject = [] }) => subject),
      noCommand: opens(({ noCommand }) => noCommand),
      verb: opens(verbsIn),
      verbForm: opening(all((language) => withVerbs(language, language.verbForms))),
      condition: opens(({ condition }) => condition),
      making: opens(({ verbs }) => verbs.make),
      during: opens(({ during = [] }) => during),
      noun: opens(({ nouns = [] }) => nouns),
      material: opens(({ material }) => material),
      /** An order word of a language in which any verb may follow one. */
      anyVerb: opens(
        orderIn,
        languages.filter(({ anyVerb }) => anyVerb),
      ),
    },
    HAS: {
      and: anywhere(({ and }) => and),
      /** A command that refers to all previous steps, such as "do all of these". */
      whole: new RegExp(`^[^\\p{L}]*\\p{L}+\\s+${wordsPattern(({ whole = [] }) => whole, languages)}`, 'iu'),
      requestEnd: new RegExp(`(?:${all(({ requestEnds = [] }) => requestEnds)})$`, 'u'),
      /** A word followed by what makes it a verb. */
      object: new RegExp(
        `^\\p{L}+\\s+(?:${wordsPattern(({ objects = [] }) => objects, languages)}|[\\p{Lu}\\d\`\uFFFC])`,
        'u',
      ),
      beside: anywhere(({ beside, besideWithin = [] }) => [...beside, ...besideWithin]),
      within: anywhere(({ within }) => within),
      finite: anywhere(({ finite }) => finite),
      plea: anywhere(({ pleas = [] }) => pleas),
      /** A list item that names its work with a noun. */
      nominal: new RegExp(
        `(?:${all((language) => withVerbs(language, language.nominal ?? []))})[、。]?$`,
        'u',
      ),
      purpose: anywhere((language) => withVerbs(language, language.purpose)),
      past: new RegExp(
        all(({ past }) => past),
        'iu',
      ),
      noRequest: new RegExp(
        all(({ noRequest }) => noRequest),
        'iu',
      ),
    },
    VERB_END: new RegExp(`(?:${all(({ verbEnds }) => verbEnds)})$`, 'u'),
    /** Where another clause may begin: at a comma, or before a joining word. */
    CLAUSE_END: new RegExp(
      `(?<!\\s)\\s*${comma}\\s*|(?<!\\s)\\s+(?=${wordsPattern(({ joints }) => joints, spaced)}[\\s,])|(?=${wordsPattern(({ joints }) => joints, unspaced)})|${all((language) => withVerbs(language, language.breaks ?? []))}`,
      'giu',
    ),
  }
}

const MOST_READ = 4_000
const cache = new Map<string, Patterns>()

/** Returns the patterns of the languages a message is written in. */
export function patternsFor(message: string): Patterns {
  const names = detectLanguages(message.slice(0, MOST_READ))
  const key = names.join(' ')
  const found = cache.get(key) ?? buildPatterns(names.flatMap((name) => LANGUAGES[name] ?? []))
  cache.set(key, found)
  return found
}

const LATIN = ['en', 'de', 'es', 'fr'] as const
const PLAIN = /^\p{L}+\*?$/u
/** The words by which a language is distinguished from others of its script. */
const VOCABULARY = new Map(
  LATIN.map((name) => {
    const words = LANGUAGES[name]
    const lists =
      words === undefined
        ? []
        : [
            words.common,
            verbsIn(words),
            orderIn(words),
            words.polite,
            words.question,
            words.narrative,
            words.and,
          ]
    return [name, new Set(lists.flat().filter((word) => PLAIN.test(word)))]
  }),
)

/**
 * An English noun may look like a French infinitive ("after", "server"), and a German one like an
 * English verb. So for each script in a message, it is read in the language that most of its words
 * belong to, or in several if they tie.
 */
function detectLanguages(message: string): readonly string[] {
  const count = (pattern: RegExp) => message.match(pattern)?.length ?? 0
  const [han, kana] = [count(/\p{Script=Han}/gu), count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)]
  const tokens = message.toLowerCase().match(/\p{Script=Latin}+/gu) ?? []
  const scores = LATIN.map(
    (name) =>
      tokens.filter((word) => VOCABULARY.get(name)?.has(word) || LANGUAGES[name]?.letters?.test(word)).length,
  )
  const best = Math.max(...scores)
  return [
    ...(kana * 5 > han ? ['ja'] : han > 0 ? ['zh'] : []),
    ...(/\p{Script=Cyrillic}/u.test(message) ? ['ru'] : []),
    ...(best === 0 ? [] : LATIN.filter((_name, at) => scores[at] === best)),
  ]
}

const NUMERALS = '一二三四五六七八九十'
const STEP_WORD = wordsPattern(({ step }) => step, ALL).replaceAll("(?![\\p{L}'’])", '')

/** The mark of a list item, such as `1.`, `(b)`, `③` or `Step 4:`. One group holds its ordinal. */
export const MARK = `(?:\\(?\uFF08?(?<number>\\d{1,3})[)\uFF09.、\uFF0E](?!\\d)|\\(?\uFF08?(?<letter>[a-zа-и])[)\uFF09.](?=\\s)|(?<circled>[①-⑳])|(?<numeral>[${NUMERALS}])[、\uFF0E.]|第(?<nth>[${NUMERALS}])(?:步[,\uFF0C:\uFF1A、]?|[,\uFF0C:\uFF1A、])|${STEP_WORD}\\s*(?:(?<step>\\d{1,2})|(?<stepNumeral>[${NUMERALS}]))\\s*[:\uFF1A.)–—-]?)`

/** Returns the position of a mark in its kind of list. */
export function parseOrdinal(
  groups: Readonly<Record<string, string | undefined>>,
): [kind: string, at: number] {
  const [kind = '', text = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? []
  if (kind === 'number' || kind === 'step') return [kind, Number(text)]
  if (kind === 'circled') return [kind, (text.codePointAt(0) ?? 0) - 0x245f]
  if (kind === 'letter') {
    const code = text.toLowerCase().codePointAt(0) ?? 0
    return code < 0x430 ? ['latin', code - 0x60] : ['cyrillic', code - 0x42f]
  }
  return [kind, NUMERALS.indexOf(text) + 1]
}

const WORKS = ['look', 'change', 'make', 'run', 'study', 'tell'] as const satisfies readonly Work[]
const WORK_PATTERNS = WORKS.map((work) => ({
  work,
  opens: opening(wordsPattern(({ verbs }) => verbs[work], ALL)),
  // In languages without spaces the verb may stand anywhere, usually at the end.
  holds: new RegExp(
    wordsPattern(({ verbs }) => verbs[work], ALL.filter(isUnspaced)),
    'u',
  ),
}))

/** Returns what a command asks for, by its verb. Returns null if the verb is unknown. */
export function classifyWork(command: string): Work | null {
  const near = command.slice(0, 200)
  const isUnspaced = /[\p{Script=Han}\p{Script=Hiragana}]/u.test(near)
  const found =
    WORK_PATTERNS.find(({ opens }) => opens.test(near)) ??
    (isUnspaced ? WORK_PATTERNS.find(({ holds }) => holds.test(near)) : undefined)
  return found?.work ?? null
}
