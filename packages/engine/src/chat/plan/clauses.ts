import { classifyWork, type Patterns, patternsFor } from './patterns.ts'

/** `beside` runs in parallel with its neighbours; `next` needs everything before it. */
export type Joins = 'beside' | 'next'

/** The number of characters at each end of a clause that are searched for its verb. */
const NEAR = 160
const CLOSING = new Set(' \t\r\n.!?;:,)\'"\uFF01\uFF1F\uFF1B\uFF1A\uFF0C\uFF09。、”»\uFFFC')

/** True if a sentence asks or states something instead of requesting it. */
export function asksNothing(sentence: string, { OPENS, HAS }: Patterns): boolean {
  const whole = sentence.trim()
  const head = whole.replace(/^[\s"'(–—-]+/, '').slice(0, NEAR)
  const isRequest = OPENS.request.test(head) || (OPENS.polite.test(head) && !OPENS.question.test(head))
  const tail = stripClosing(whole).slice(-NEAR)
  if (HAS.noRequest.test(tail)) return !isRequest || !/[?\uFF1F]$/u.test(whole)
  if (isRequest) return false
  if (/[?\uFF1F]["'”»)]*$/u.test(whole)) return !HAS.requestEnd.test(tail)
  return OPENS.question.test(head)
}

export interface Command {
  readonly from: number
  readonly to: number
  readonly joins: Joins | null
}

interface OpenCommand extends Command {
  readonly to: number
  /** The clause has its verb at the end, so what follows belongs to the next clause. */
  readonly isVerbLast: boolean
  /** The clause consists of a verb only. */
  readonly isBare: boolean
  /**
   * The clause contains a subordinate clause. A `whole` one continues after commas, as in "explain
   * how to stop, start and test it"; a `finite` one ends there, as in "find out why it fails, fix it".
   */
  readonly inner: 'whole' | 'finite' | null
  /** The clause starting from its verb. */
  readonly rest: string
}

/**
 * Finds the commands of a sentence: clauses with an imperative verb, each with the clauses that
 * belong to it.
 */
export function findCommands(sentence: string, patterns: Patterns): readonly Command[] {
  const { OPENS, HAS } = patterns
  const commands: OpenCommand[] = []
  let waits: number | null = null
  let carried: Joins | null = null
  let narrates = false
  /** The sentence opens with what is no request, so an order word alone makes none of the rest. */
  let isStatement = false
  for (const { from, to, isAfterComma } of splitClauses(sentence, patterns)) {
    const clause = sentence.slice(from, to)
    const read = parseOpening(clause, patterns, { isLater: from > 0, isAfterComma })
    const { rest, joins, isPolite, hasOrder, isNarrative, isCondition, isVerbLast } = read
    const isWhile = from === 0 && OPENS.during.test(clause.trimStart().slice(0, NEAR))
    if (from === 0)
      isStatement = !isWhile && rest !== '' && !(read.isCommand || isPolite || hasOrder || isCondition)
    const isCommand = isWhile || (read.isCommand && !(isStatement && read.isGuess))
    const before = commands.at(-1)
    if (isPolite) narrates = false
    if (isNarrative || (before === undefined && HAS.past.test(clause))) narrates = true
    if (narrates) continue
    // A capital letter is a name, as in "X and Y", and not a joining word.
    if (rest === '' && (joins !== null || !/\p{Lu}$/u.test(clause))) {
      carried = joins ?? carried
      continue
    }
    // Without a comma in between, even an order word belongs to the inner clause, as in "explain
    // how to stop and then start it".
    const isGlued =
      before !== undefined &&
      ((before.inner !== null && !isAfterComma) ||
        (!hasOrder && carried === null && (before.inner === 'whole' || before.isBare)))
    if (isCommand && !isGlued) {
      const skipped = joins === null ? clause.length - stripConjunction(clause, patterns).length : 0
      commands.push({
        from: waits ?? from + skipped,
        to,
        joins: joins ?? carried,
        isVerbLast,
        isBare: isBareVerb(rest),
        inner: classifyInnerClause(rest, rest, patterns),
        rest,
      })
      waits = null
      // "While you translate it, check the links" asks for both at once.
      carried = isWhile ? 'beside' : null
    } else if (before !== undefined && !isCondition && (isGlued || !before.isVerbLast))
      commands[commands.length - 1] = {
        ...before,
        to,
        isBare: before.isBare && isBareVerb(rest),
        inner: before.inner ?? classifyInnerClause(before.rest, rest, patterns),
      }
    else waits ??= from
  }
  return commands
}

/** Strips trailing punctuation by hand; a pattern would backtrack at each of many marks. */
function stripClosing(text: string): string {
  let to = text.length
  while (to > 0 && CLOSING.has(text[to - 1] ?? '')) to -= 1
  return text.slice(0, to)
}

interface Clause {
  readonly from: number
  readonly to: number
  /** True if the clause begins the sentence or follows a comma. */
  readonly isAfterComma: boolean
}

function splitClauses(sentence: string, { CLAUSE_END }: Patterns): readonly Clause[] {
  const clauses: Clause[] = []
  let from = 0
  let isAfterComma = true
  for (const { 0: gap, index } of sentence.matchAll(CLAUSE_END)) {
    if (index > from) clauses.push({ from, to: index, isAfterComma })
    isAfterComma = gap.trim() !== '' || (index === from && isAfterComma)
    from = index + gap.length
  }
  if (from < sentence.length) clauses.push({ from, to: sentence.length, isAfterComma })
  return clauses
}

interface ClauseOpening {
  /** The clause without what precedes its verb. */
  readonly rest: string
  /** How order words join it; null if there are none. */
  readonly joins: Joins | null
  readonly isPolite: boolean
  readonly hasOrder: boolean
  readonly isCommand: boolean
  /** Only an order word says that it is a command. */
  readonly isGuess: boolean
  readonly isNarrative: boolean
  readonly isCondition: boolean
  readonly isVerbLast: boolean
}

const MOST_OPENERS = 8

/** Returns a step starting from its verb. */
export const commandText = (step: string, patterns = patternsFor(step)): string =>
  parseOpening(step, patterns).rest

/** Parses the beginning of a clause: order words, polite phrases, then the verb. */
export function parseOpening(
  clause: string,
  { OPENS, HAS, VERB_END }: Patterns,
  { isLater, isAfterComma } = { isLater: false, isAfterComma: true },
): ClauseOpening {
  let rest = stripClosing(clause).trimStart()
  let joins: Joins | null = null
  let [isPolite, hasOrder, takesAny] = [false, false, false]
  for (let count = 0; count < MOST_OPENERS; count += 1) {
    rest = rest.replace(/^[\s"'(¿¡:\uFF1A,\uFF0C–—-]+/u, '')
    const near = rest.slice(0, NEAR)
    const order = OPENS.beside.exec(near) ?? OPENS.next.exec(near) ?? OPENS.first.exec(near)
    if (order !== null) {
      hasOrder = true
      takesAny ||= OPENS.anyVerb.test(near)
      joins = OPENS.beside.test(near) ? 'beside' : (joins ?? 'next')
      rest = rest.slice(order[0].length)
      continue
    }
    const opener = OPENS.request.exec(near) ?? OPENS.polite.exec(near)
    if (opener !== null) isPolite = true
    const length = (opener ?? OPENS.and.exec(near))?.[0].length ?? 0
    if (length === 0) break
    rest = rest.slice(length)
  }
  const near = rest.slice(0, NEAR)
  const isVerbLast = VERB_END.test(rest.slice(-40)) && rest.length > 3
  const isNarrative = OPENS.narrative.test(near) || (!isLater && !hasOrder && OPENS.subject.test(near))
  const isNoun =
    /^\p{L}+ of\s/u.test(near) || (isLater && !hasOrder && OPENS.noun.test(near) && !HAS.object.test(near))
  const opensVerb = (OPENS.verb.test(near) && !isNoun) || OPENS.verbForm.test(near)
  const isCondition = OPENS.condition.test(near) && !opensVerb
  const isAny = takesAny && isAfterComma && hasTwoWords(near)
  const isCommand =
    !isNarrative && !isCondition && !OPENS.noCommand.test(near) && (opensVerb || isVerbLast || isAny)
  return {
    rest,
    joins,
    isPolite,
    hasOrder,
    isCommand,
    isGuess: isCommand && !opensVerb && !isVerbLast,
    isNarrative,
    isCondition,
    isVerbLast: isVerbLast && !opensVerb,
  }
}

const hasTwoWords = (text: string): boolean => /\S\s+\S|[\p{Script=Han}\p{Script=Katakana}]{2}/u.test(text)
/** A verb with a pronoun at its end, such as "vacíala", has its object. */
const isBareVerb = (rest: string): boolean =>
  /^\p{Script=Latin}+$|^\p{Script=Cyrillic}+$/u.test(rest) && !/[áéíóú]\p{L}*l[aoe]s?$/u.test(rest)
/** Returns which subordinate clause a clause of a command contains. */
function classifyInnerClause(
  command: string,
  clause: string,
  { OPENS, HAS }: Patterns,
): OpenCommand['inner'] {
  const near = clause.slice(0, NEAR)
  if (HAS.within.test(near) || (OPENS.making.test(near) && HAS.purpose.test(near))) return 'whole'
  if (!HAS.finite.test(near)) return null
  const work = classifyWork(command)
  return work === null || work === 'look' || work === 'study' ? 'finite' : 'whole'
}
const stripConjunction = (clause: string, { OPENS }: Patterns): string => {
  const trimmed = clause.trimStart()
  const [and = ''] = OPENS.and.exec(trimmed.slice(0, NEAR)) ?? []
  return trimmed.slice(and.length)
}
