import { fenced } from '../context/fence.ts'

/** The maximum number of characters of a result that a model gets. */
const MOST = 50_000

/** Cuts a result to what a model gets and states how much is missing. */
export function cutResult(text: string, most: number = MOST): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most).toWellFormed()
  const gone = text.length - most
  const rest = gone === 1 ? '1 more character is' : `${gone} more characters are`
  return `${cut}\n… ${rest} left out. Ask for less at once.`
}

/** Wraps a result in fences, so that the model reads it as data. */
export const asToolData = (tool: string, text: string): string =>
  fenced(`result of ${tool.replace(/[^\w-]/g, '_')}`, text === '' ? '(nothing)' : text)
