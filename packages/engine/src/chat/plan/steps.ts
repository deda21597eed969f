import { asksNothing, type Command, findCommands, type Joins, parseOpening } from './clauses.ts'
import { classifyWork, MARK, type Patterns, parseOrdinal } from './patterns.ts'

/** A piece of the request and how it relates to the previous pieces. */
export interface Step {
  readonly text: string
  readonly joins: Joins
}

/** A step that may still grow. */
interface Draft {
  readonly text: string
  readonly joins: Joins
  /** The message itself states the step's position. */
  readonly isOrdered: boolean
}

const MOST_CHARS = 20_000
/** The most characters before the colon of a list within a sentence. */
const MOST_LEAD = 100
const MOST_STEPS = 200
const SENTENCE = /(?<=[.!?;])\s+|(?<=[。\uFF01\uFF1F\uFF1B])\s*|\n+/u

/**
 * Divides a message into steps by its lists, order words and verbs. Returns none if it asks for one
 * thing. Runs in linear time.
 */
export function splitSteps(message: string, patterns: Patterns): readonly Step[] {
  const lines = parseLines(splitAtMarks(stripQuotedText(message.slice(0, MOST_CHARS))))
  const drafts =
    lines.filter(({ item }) => item !== null).length >= 2
      ? parseListSteps(lines, patterns)
      : parseTextSteps(lines, patterns)
  return drafts.length < 2 ? [] : drafts.map(({ text, joins }) => ({ text, joins }))
}

// In languages without spaces, a mark in brackets or a circle may directly follow a word.
const INLINE_MARK = new RegExp(
  `(?:(?<=^|[\\s,;:\uFF0C\uFF1B\uFF1A。、.])|(?<=[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}])(?=\\()|(?=[\uFF08①-⑳]))${MARK}`,
  'giu',
)
const SENTENCE_END = /[.!?](?=\s)|[。\uFF01\uFF1F]/u

/**
 * Puts ascending marks within a line on lines of their own; the last item ends with its sentence.
 */
function splitAtMarks({ text, mask }: RequestText): RequestText {
  const runs = new Map<string, { from: number; to: number }[]>()
  for (const { 0: mark, index, groups } of mask.matchAll(INLINE_MARK)) {
    const [kind, at] = parseOrdinal(groups ?? {})
    const run = runs.get(kind) ?? []
    if (at === run.length + 1) runs.set(kind, [...run, { from: index, to: index + mark.length }])
  }
  const [marks = []] = [...runs.values()]
    .filter(
      (run) => run.length >= 2 && run.every(({ to }, at) => hasWords(mask.slice(to, run[at + 1]?.from))),
    )
    .sort(([one], [other]) => (one?.from ?? 0) - (other?.from ?? 0))
  const places = marks.map(({ from }) => from)
  const last = marks.at(-1)
  if (last !== undefined && mask.slice(mask.lastIndexOf('\n', last.from - 1) + 1, last.from).trim() !== '') {
    const end = SENTENCE_END.exec(mask.slice(last.to))
    if (end !== null) places.push(last.to + end.index + 1)
  }
  const insertBreaks = (whole: string) =>
    [0, ...places].map((from, at) => whole.slice(from, places[at] ?? whole.length)).join('\n')
  return { text: insertBreaks(text), mask: insertBreaks(mask) }
}

/** True if there is more than a word that joins two marks, as in "equations (1) and (2)". */
const hasWords = (item: string): boolean =>
  /(?!(?:and|und|или)(?!\p{L}))(?<!\p{L})\p{L}{3,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}/iu.test(
    item.slice(0, 200),
  )

interface Line extends RequestText {
  readonly indent: number
  readonly item: { readonly from: number; readonly isOrdered: boolean } | null
}

const ITEM = new RegExp(`^\\s{0,12}(?:[-*•・–]\\s+|・|(?:${MARK})\\s*)(?=\\S)`, 'iu')

function parseLines({ text, mask }: RequestText): readonly Line[] {
  const texts = text.split('\n')
  return mask.split('\n').map((line, at) => {
    const found = ITEM.exec(line)
    const isOrdered =
      found?.groups !== undefined && Object.values(found.groups).some((one) => one !== undefined)
    return {
      text: texts[at] ?? '',
      mask: line,
      indent: line.length - line.trimStart().length,
      item: found ? { from: found[0].length, isOrdered } : null,
    }
  })
}

/** Returns the items of a list, between what is asked before it and after it. */
function parseListSteps(lines: readonly Line[], patterns: Patterns): readonly Draft[] {
  const { HAS } = patterns
  const first = lines.findIndex(({ item }) => item !== null)
  const sentences = splitSentences(lines.slice(0, first))
  const lead = sentences.at(-1)
  const items = parseItems(lines.slice(first))
  const after = lines.slice(first).filter(({ item }) => item === null)
  const leads =
    lead !== undefined && !asksNothing(lead.mask, patterns) ? parseOpening(lead.mask, patterns) : null
  const isLeadTask = leads?.isCommand === true && !takesWhole(leads.rest, patterns)
  const isRequest = lead === undefined || lines.some(({ mask }) => HAS.plea.test(mask))
  const tasks = items.filter(
    ({ mask }) =>
      (isRequest && HAS.nominal.test(mask)) ||
      parseOpening(mask, patterns, { isLater: true, isAfterComma: true }).isCommand,
  )
  const isShown =
    leads === null
      ? lead !== undefined
      : (leads.isCommand && !isLeadTask) ||
        (!isLeadTask && splitSentences(after).some(({ mask }) => isAboutList(mask, patterns)))
  if (isShown || !(isLeadTask || tasks.length * 2 >= items.length))
    return parseTextSteps([...lines.slice(0, first), ...after], patterns)
  const isTogether = lead !== undefined && HAS.beside.test(lead.mask)
  const isOrdered = items.some((one) => one.isOrdered) && !isTogether
  const drafts: Draft[] = []
  for (const sentence of sentences.slice(0, -1)) addSentence(drafts, sentence, patterns)
  for (const [at, { text, mask }] of items.entries()) {
    const { joins } = parseOpening(mask, patterns)
    drafts.push({
      text: text.replace(/(?<![\s,;\uFF0C\uFF1B、])[\s,;\uFF0C\uFF1B、]+$/u, ''),
      joins: at === 0 ? 'next' : (joins ?? (isOrdered ? 'next' : 'beside')),
      isOrdered: joins !== null,
    })
  }
  const rest: Draft[] = []
  for (const sentence of splitSentences(after)) addSentence(rest, sentence, patterns)
  return [...drafts, ...rest].slice(0, MOST_STEPS)
}

/** A command that takes a list as one text, so that its items are not steps. */
const takesWhole = (command: string, { OPENS }: Patterns): boolean =>
  OPENS.material.test(command) || classifyWork(command) === 'tell'

/**
 * Text after a list may show that the list is only material: a question, or a command for all of
 * it.
 */
function isAboutList(sentence: string, patterns: Patterns): boolean {
  if (asksNothing(sentence, patterns)) return /[?\uFF1F]["'”»)]*\s*$/u.test(sentence)
  const { rest, joins, isCommand } = parseOpening(sentence, patterns)
  return joins === null && isCommand && patterns.OPENS.material.test(rest) && classifyWork(rest) !== 'study'
}

interface Item extends RequestText {
  readonly isOrdered: boolean
}

/** Indented lines under an item are part of it. */
function parseItems(lines: readonly Line[]): readonly Item[] {
  const outer = Math.min(...lines.filter(({ item }) => item).map(({ indent }) => indent))
  return lines.flatMap(({ text, mask, item, indent }): Item[] =>
    item === null || indent > outer + 1
      ? []
      : [
          {
            text: text.slice(item.from).trim(),
            mask: mask.slice(item.from).trim(),
            isOrdered: item.isOrdered,
          },
        ],
  )
}

function parseTextSteps(lines: readonly Line[], patterns: Patterns): readonly Draft[] {
  const drafts: Draft[] = []
  for (const sentence of splitSentences(lines)) addSentence(drafts, sentence, patterns)
  return drafts.slice(0, MOST_STEPS)
}

/** Splits a text and its mask into sentences at the same positions. */
function splitSentences(lines: readonly RequestText[]): readonly RequestText[] {
  return lines.flatMap(({ text, mask }) => {
    let from = 0
    return mask.split(SENTENCE).flatMap((piece) => {
      const at = mask.indexOf(piece, from)
      from = at + piece.length
      return piece.trim() === '' ? [] : [{ text: text.slice(at, from), mask: piece }]
    })
  })
}

/** Adds the steps of a sentence to the previous ones. */
function addSentence(drafts: Draft[], sentence: RequestText, patterns: Patterns): void {
  const { HAS } = patterns
  if (drafts.length >= MOST_STEPS || asksNothing(sentence.mask, patterns)) return
  const begin = findColonStart(sentence.mask, patterns)
  const [text, mask] = [sentence.text.slice(begin), sentence.mask.slice(begin)]
  const found = findCommands(mask, patterns)
  const isTogether = HAS.beside.test(mask)
  if (found.length === 0 || (isTogether && found.length === 1 && HAS.whole.test(mask))) {
    if (isTogether)
      for (const [at, draft] of drafts.entries())
        if (at > 0 && !draft.isOrdered) drafts[at] = { ...draft, joins: 'beside' }
    return
  }
  const [first] = found
  const hasBesideWord = ({ from, to }: Command) => HAS.beside.test(mask.slice(from, to))
  // "In parallel, …" at the beginning applies to everything its sentence asks for.
  const spreads =
    first !== undefined && (hasBesideWord(first) || (first.joins === 'beside' && drafts.length === 0))
  for (const [at, command] of found.entries()) {
    const { from, to, joins } = command
    // A single command that names several things does them in parallel, after what precedes it.
    const isAlone =
      found.length === 1 && !/[,、\uFF0C]/u.test(mask) && !HAS.and.test(mask.slice(from + 1, to))
    const isInside = hasBesideWord(command) && (at > 0 || (drafts.length > 0 && isAlone))
    const isBeside = joins === null && (isInside || (at > 0 && spreads))
    drafts.push({
      text: text.slice(from, to).trim(),
      joins: joins ?? (isBeside ? 'beside' : 'next'),
      isOrdered: joins !== null,
    })
  }
}

/** Returns where the commands begin that a request before a colon announces, or 0. */
function findColonStart(mask: string, patterns: Patterns): number {
  const at = mask.slice(0, MOST_LEAD).search(/:(?=\s)|\uFF1A/u)
  if (at <= 0) return 0
  const { rest, isCommand, isPolite, isNarrative } = parseOpening(mask.slice(0, at), patterns)
  const work = classifyWork(rest)
  const isLead = isPolite
    ? work !== 'study' && work !== 'look'
    : isCommand && (work === 'run' || work === null)
  if (isNarrative || !isLead || takesWhole(rest, patterns)) return 0
  return findCommands(mask.slice(at + 1), patterns).length < 2 ? 0 : at + 1
}

/** A message without the text that it only quotes. */
interface RequestText {
  readonly text: string
  /** The text at the same length, with quotes blotted out. */
  readonly mask: string
}

/** Stands for something that is not a word. */
const BLOT = '\uFFFC'
const FENCE = /^\s{0,3}(?:```|~~~)/
const QUOTES =
  /`[^`\n]{1,400}`|"[^"\n]{1,400}"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』|‘[^’\n]{1,400}’/gu

/** A line of a log, stack trace, diff or indented code. */
const PASTED =
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:|^\s*\[?\d\d:\d\d:\d\d|^\s+(?:at\s|File\s")|^(?:\t| {4,})(?![-*•\d(\uFF08①-⑳])|^(?:\+\+\+|---|@@)\s|^\s*[$%]\s/

/**
 * Removes code blocks, pasted output and quoted lines, and blots out quotes, because nothing in
 * them is a request. Runs in linear time.
 */
function stripQuotedText(message: string): RequestText {
  let isCode = false
  const lines = message.split('\n').filter((line) => {
    const isFence = FENCE.test(line)
    if (isFence) isCode = !isCode
    return !isFence && !isCode && !/^\s{0,3}>/.test(line) && !PASTED.test(line)
  })
  const text = lines.join('\n')
  return { text, mask: text.replace(QUOTES, (quote) => BLOT.repeat(quote.length)) }
}
