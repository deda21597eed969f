import type { SessionTemplate } from '@panoptes/schema'
import { type GivenExample, givenExamples, headingOf, WHAT_IT_IS } from './given.ts'

/** Claude Code takes 10,000 characters of what a hook says. */
const MOST = 9_400
const LEAST_OF_ONE = 240
const LONGEST_HEADING = 400
const INDENT = '    '
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u

/** The examples in words, for where only words are taken. Undefined where there is none. */
export function asText(template: SessionTemplate): string | undefined {
  const examples = givenExamples(template)
  if (examples.length === 0) return undefined
  const heading = `${cut(headingOf(template), LONGEST_HEADING)}\n${WHAT_IT_IS}`
  const room = MOST - heading.length - 80
  const kept = examples.slice(0, Math.floor(room / LEAST_OF_ONE))
  const more = examples.length - kept.length
  const records = fitted(kept.map(recordOf), room)
  return [heading, ...records, ...(more > 0 ? [`${more} more examples are left out.`] : [])].join('\n\n')
}

/** What is indented cannot pass for what stands around it. */
const recordOf = ({ name, input, result }: GivenExample, index: number): string => {
  const said = result.trim() === '' ? '(no output)' : result.trimEnd()
  const lines = said.split(LINE_END).map((line) => INDENT + line)
  return `${index + 1}. ${name} ${onOneLine(JSON.stringify(input))}\n${lines.join('\n')}`
}

/** JSON leaves three line ends as they are. */
const onOneLine = (json: string): string =>
  json.replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Long ones give way to short ones: all have the same room, and what one does not need the others have. */
function fitted(texts: readonly string[], room: number): readonly string[] {
  let left = room - 2 * texts.length
  let share = left
  const lengths = texts.map(({ length }) => length).sort((a, b) => a - b)
  for (const [index, length] of lengths.entries()) {
    share = Math.floor(left / (lengths.length - index))
    if (length > share) break
    left -= length
  }
  return texts.map((text) => (text.length <= share ? text : cut(text, share)))
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const note = (gone: number) => `\n${INDENT}… ${gone.toLocaleString('en')} characters cut`
  const kept = text.slice(0, Math.max(0, most - note(text.length).length)).replace(/[\uD800-\uDBFF]$/, '')
  return kept + note(text.length - kept.length)
}
