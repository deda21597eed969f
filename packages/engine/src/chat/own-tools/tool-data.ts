import { fenced } from '../context/fence.ts'

/** Characters of a result that a model is given. */
const MOST = 50_000

/** As much of a result as a model is given, with a word on what is left out. */
export function cutResult(text: string, most: number = MOST): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most).toWellFormed()
  return `${cut}\n… ${text.length - most} more characters are left out. Ask for less at once.`
}

/** A result as a model is told of it: between fences, as data. */
export const asToolData = (tool: string, text: string): string =>
  fenced(`result of ${tool.replace(/[^\w-]/g, '_')}`, text === '' ? '(nothing)' : text)
