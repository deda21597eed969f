/** A piece of what was asked, and how it hangs on the pieces before. */
export interface Step {
  readonly text: string
  /** `list` stands beside its neighbours; `next` needs the one before; `last` needs all before. */
  readonly joins: 'list' | 'next' | 'last'
}

const MOST_CHARS = 20_000
const ITEM = /^\s{0,12}(?:[-*•]|\(?(\d{1,3}|[a-z])[.)、])\s+(.*)$/iu
const NEXT =
  /^(?:and\s+)?(?:then|after(?:wards| that)|next|once|when (?:that|this)|based on|using (?:that|this|it|the result)|然后|接着|之后|再)(?![\p{L}])/iu
const LAST =
  /^(?:and\s+)?(?:finally|lastly|in the end|at the end|(?:then\s+)?(?:compare|summari[sz]e|combine|merge|report|conclude|put)\b.*\b(?:all|both|them|results?|findings?|together|answers?)|最后|汇总|总结)(?![\p{L}])/iu
const TOGETHER =
  /\b(?:in parallel|side by side|independently|at the same time|simultaneously|each of)\b|同时|分别|并行/iu

/** The pieces of a message, by its own marks: lists, order words. Linear. */
export function stepsIn(message: string): readonly Step[] {
  const text = message.slice(0, MOST_CHARS)
  const lines = text.split('\n')
  const items = lines.map((line) => ITEM.exec(line))
  if (items.filter(Boolean).length >= 2) return fromList(lines, items)
  return fromSentences(text)
}

const saysTogether = (message: string): boolean => TOGETHER.test(message.slice(0, MOST_CHARS))

function fromList(lines: readonly string[], items: readonly (RegExpExecArray | null)[]): readonly Step[] {
  const isNumbered = items.some((item) => item?.[1] !== undefined && /\d/.test(item[1]))
  const together = saysTogether(lines.join('\n'))
  const steps: Step[] = []
  let seen = false
  for (const [at, line] of lines.entries()) {
    const item = items[at]
    if (item) {
      seen = true
      steps.push(stepOf(item[2] ?? '', isNumbered && !together ? 'next' : 'list'))
    } else if (seen && line.trim() !== '' && LAST.test(line.trim()))
      steps.push({ text: line.trim(), joins: 'last' })
  }
  return steps.filter(({ text }) => text !== '')
}

function fromSentences(text: string): readonly Step[] {
  const pieces = text
    .split(
      /(?<=[.!?;。!?;])\s+|\n+|,\s*(?=(?:and\s+)?(?:then|finally|afterwards)\b)|[,,](?=然后|接着|最后)/iu,
    )
    .map((piece) => piece.trim())
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece))
  const together = saysTogether(text)
  return pieces
    .filter((piece, at) => at === 0 || pieces.length < 2 || isTask(piece))
    .map((piece) => stepOf(piece, together ? 'list' : 'next'))
}

function stepOf(text: string, usual: Step['joins']): Step {
  const trimmed = text.trim()
  if (LAST.test(trimmed)) return { text: trimmed, joins: 'last' }
  return { text: trimmed, joins: NEXT.test(trimmed) ? 'next' : usual }
}

const TASK =
  /^(?:(?:please|also|and|then|next|finally|now|lastly|afterwards)[, ]+)*(?:add|analy[sz]e|build|change|check|clean|collect|combine|compare|compile|convert|count|create|debug|delete|deploy|describe|design|document|download|draft|edit|estimate|evaluate|explain|extract|fetch|find|fix|gather|generate|implement|improve|install|inspect|investigate|list|look|make|measure|merge|migrate|move|open|optimi[sz]e|outline|plan|prepare|propose|read|refactor|remove|rename|replace|report|research|review|rewrite|run|search|set|show|sort|start|study|suggest|summari[sz]e|tell|test|translate|try|update|upgrade|use|validate|verify|write)\b/iu
const isTask = (piece: string): boolean =>
  TASK.test(piece) || NEXT.test(piece) || LAST.test(piece) || /\p{Script=Han}/u.test(piece)
